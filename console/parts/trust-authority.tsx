import type { ServiceInfo } from '../api/types.ts';

interface FingerprintProps {
  readonly authority: NonNullable<ServiceInfo['authority']>;
  /** The address by which learners reach the service. */
  readonly origin: string;
}

/** Where the class authority is explained, and the fingerprint to compare, in lines of whole groups of eight. */
export function Fingerprint({ authority: { fingerprint }, origin }: FingerprintProps) {
  return (
    <>
      <a href={`${origin}/ca`}>{origin}/ca</a>: its fingerprint (SHA-256) is{' '}
      <code class="fingerprint">
        {fingerprint.match(/.{1,24}/g)?.map((pairs) => (
          <span key={pairs}>{pairs}</span>
        ))}
      </code>
    </>
  );
}
