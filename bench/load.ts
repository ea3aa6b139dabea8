/** Requests to send over and over: the paths in turn, each with the same method, headers and body. */
export interface Load {
  method: 'GET' | 'POST';
  paths: string[];
  headers: Record<string, string>;
  /** Headers that are added in turn, such as those of several clients. */
  turns?: Record<string, string>[];
  /** Where it holds `mark`, each request has ten digits that no other request of this run has. */
  body?: string;
}

/** Sends `load` to an origin for some seconds. Every `number` from `first` on is free for `mark`. */
export type Generator = (origin: string, load: Load, seconds: number, first: number) => Promise<Sent>;

export interface Sent {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Answers of 400 and above, and connections that broke. */
  failures: number;
}

export const connections = 64;

export const mark = '0000000000';

/** A walk through all numbers of ten digits below 2³¹ in no order, each once: registration numbers are not sorted. */
export const scatter = { factor: 48271, modulus: 2147483647 } as const;

export function scattered(number: number): string {
  return String((number * scatter.factor) % scatter.modulus).padStart(10, '0');
}

/** The requests in the order in which they are sent, over and over. */
export function inTurn({ paths, headers, turns = [{}] }: Load): { path: string; headers: Record<string, string> }[] {
  return paths.flatMap((path) => turns.map((turn) => ({ path, headers: { ...headers, ...turn } })));
}
