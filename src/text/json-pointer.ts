/** The JSON pointer to a member (RFC 6901): the names or indexes on the way to it. */
export function pointerTo(...way: readonly (string | number)[]): string {
  return way.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The names on the way to what a JSON pointer names. */
export function wayOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
