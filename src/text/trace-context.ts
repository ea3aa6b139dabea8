/* W3C Trace Context: the header `traceparent`. `tracestate` is a vendor's own, and nobody here knows its vendor. */

/** What goes on of a trace: its id, and flags of which only those are kept that are known. */
export interface Trace {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  readonly flags: string;
}

export const traceIdPattern = '^[\\da-f]{32}$';

/** Version, trace id, parent id, flags; a later version than 00 may have more behind them. */
const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const zero = /^0+$/;

/** `sampled`, and of Level 2 `random-trace-id`: who hands a trace on clears the others. */
const knownFlags = 0x03;

/** The trace of a header; undefined without one, and where it is malformed: then the call goes on without. */
export function traceOf(header: unknown): Trace | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(String(header ?? '')) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (zero.test(traceId) || zero.test(parentId)) return undefined;
  return { traceId, flags: hex(Number.parseInt(flags, 16) & knownFlags) };
}

const hex = (number: number) => number.toString(16).padStart(2, '0');

/** As a claim or an event keeps it: trace id and flags. Null without one. */
export function keptTrace(trace: Trace | undefined): string | null {
  return trace === undefined ? null : `${trace.traceId}-${trace.flags}`;
}

/** The header that hands a kept trace on. `parentId`: eight random bytes, of the call that has it. */
export function traceparent(kept: string, parentId: Buffer): string {
  // All zero is no id.
  const parent = parentId.every((byte) => byte === 0) ? Buffer.from(parentId).fill(1) : parentId;
  const [traceId, flags] = kept.split('-');
  return `00-${traceId}-${parent.toString('hex')}-${flags}`;
}
