/* W3C Trace Context: the headers `traceparent` and `tracestate`. What vendors write into the latter goes on as it is. */

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

/** A member of `tracestate` (Level 2, section 3.3.1.3, whose keys have those of Level 1 among them): key and value. */
const stateMember = /^[a-z\d][a-z\d_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/** What goes on of `tracestate` at the most (sections 3.3.1.1 and 3.3.1.5): members, characters in all. */
const maxState = { members: 32, characters: 512 };

/** Members that go first where all are too long, in characters. */
const longMember = 128;

/**
 * What goes on of a `tracestate`: its members without the white space around them. Undefined without any, and where it is
 * malformed: the call goes on with its trace alone. That no key comes twice is for those who write them.
 */
export function stateOf(header: unknown): string | undefined {
  const sent = String(header ?? '')
    .split(',')
    .map((member) => /[^ \t](?:.*[^ \t])?/.exec(member)?.[0] ?? '')
    .filter((member) => member !== '');
  if (sent.length === 0 || sent.length > maxState.members) return undefined;
  if (!sent.every((each) => stateMember.test(each))) return undefined;
  const members = [...sent];
  // The last one goes, of those that are long if there are any.
  while (members.join(',').length > maxState.characters)
    members.splice(
      members.findLastIndex((each) => each.length > longMember),
      1,
    );
  return members.join(',') || undefined;
}

/** As a claim or an event keeps it: trace id and flags, then the state that goes with it. Null without one. */
export function keptTrace(trace: Trace | undefined, state?: string): string | null {
  if (trace === undefined) return null;
  return `${trace.traceId}-${trace.flags}${state === undefined ? '' : ` ${state}`}`;
}

/** The headers that hand a kept trace on. `parentId`: eight random bytes, of the call that has them. */
export function traceHeaders(kept: string, parentId: Uint8Array): { traceparent: string; tracestate?: string } {
  // All zero is no id.
  const parent = parentId.every((byte) => byte === 0) ? parentId.map(() => 1) : parentId;
  const [, traceId, flags, tracestate] = /^(\w+)-(\w+)(?: (.*))?$/.exec(kept) ?? [];
  const traceparent = `00-${traceId}-${[...parent].map(hex).join('')}-${flags}`;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
