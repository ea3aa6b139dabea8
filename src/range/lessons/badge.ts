import { type BadgeKey, didKey } from '../../text/badge.ts';
import type { CertifiedFacts } from './certificate.ts';
import { capstonesDone } from './circumstances.ts';

export interface BadgeOptions {
  /** A UUID. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  /** Who gives it, if not the service by its key. */
  readonly issuerUrl?: string | undefined;
  readonly issuerName: string;
}

/** What a client learned as a credential by Open Badges 3.0, with the claims of its JWT (1EdTech, 8.2.4.1). */
export function badgeOf(facts: CertifiedFacts, key: BadgeKey, { id, issuedAt, issuerUrl, issuerName }: BadgeOptions) {
  const issuer = issuerUrl ?? (didKey(key) as string);
  const subject = `urn:l-plate:client:${facts.sub}`;
  const solved = facts.lessons.map(
    ({ title, level, solvedAt }) => `- ${title}, level ${level}, ${solvedAt.slice(0, 10)}`,
  );
  const capstones = facts.capstones.map(
    ({ title, level, completedAt }) => `- ${title}, level ${level}, ${completedAt.slice(0, 10)}`,
  );
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2', 'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json'],
    id: `urn:uuid:${id}`,
    type: ['VerifiableCredential', 'OpenBadgeCredential'],
    name: 'L-Plate: API integration',
    issuer: { id: issuer, type: ['Profile'], name: issuerName, ...(issuerUrl && { url: issuerUrl }) },
    validFrom: new Date(issuedAt * 1000).toISOString().replace('.000', ''),
    credentialSubject: {
      id: subject,
      type: ['AchievementSubject'],
      identifier: [
        { type: 'IdentityObject', hashed: false, identityHash: facts.nickname ?? facts.sub, identityType: 'name' },
      ],
      achievement: {
        id: 'urn:l-plate:achievement:lessons',
        type: ['Achievement'],
        name: 'API integration',
        description: 'Lessons of L-Plate, a synthetic motor insurer to practise API integration on.',
        criteria: { narrative: 'Each lesson is solved by calls to the service, or by an answer that only they tell.' },
      },
      narrative: [
        `Solved ${facts.lessons.length} of ${facts.of} lessons. ${facts.circumstances.words.join(' ')}`.trimEnd(),
        ...solved,
        ...(capstones.length > 0 ? [`${capstonesDone}:`, ...capstones] : []),
      ].join('\n'),
    },
    iss: issuer,
    sub: subject,
    jti: `urn:uuid:${id}`,
    nbf: issuedAt,
  };
}
