import type { ServiceInfo } from '../api/types.ts';

interface FingerprintProps {
  readonly authority: NonNullable<ServiceInfo['authority']>;
  /** The address by which learners reach the service. */
  readonly origin: string;
}

/** Where the class authority is explained, and the fingerprint to compare. */
export function Fingerprint({ authority: { fingerprint }, origin }: FingerprintProps) {
  return (
    <>
      <a href={`${origin}/ca`}>{origin}/ca</a>: its fingerprint (SHA-256) is{' '}
      <code class="anywhere">
        {fingerprint.split(/(?<=:)/).map((pair, at) => (
          <span key={at}>
            {pair}
            <wbr />
          </span>
        ))}
      </code>
    </>
  );
}
