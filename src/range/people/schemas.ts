import Type, { type Static } from 'typebox';
import { consentEnds } from '../../clients/consents.ts';
import { longestRedirectUri, maxRedirectUris } from '../../clients/redirect-uris.ts';
import { PageOf } from '../../http/requests/paging.ts';
import { moment, momentOrNull } from '../shapes.ts';

const personId = Type.String({
  description: 'The id of the person: `sub` in tokens for them.',
  examples: ['per-5f0c2a4d-6e8f-4c31-9b1e-01938c5e7d2a'],
});

const userName = Type.String({ description: 'What the person signs in with.', examples: ['ida'] });

const Person = Type.Object(
  {
    personId,
    name: Type.String({
      description: 'Their name, as `holder` of their policies has it.',
      examples: ['Ida Lindqvist'],
    }),
    userName,
    password: Type.String({ description: 'No secret: nobody is behind it.', examples: ['ida-4711'] }),
    policies: Type.Array(Type.String(), {
      description: 'The ids of the policies whose holder they are.',
      examples: [['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f']],
    }),
  },
  { $id: 'Person', description: 'A fictional policyholder.' },
);

export type Person = Static<typeof Person>;

export const PersonList = Type.Object({ items: Type.Array(Person) }, { $id: 'PersonList' });

export const RedirectUriList = Type.Object(
  {
    redirectUris: Type.Array(Type.String({ maxLength: longestRedirectUri }), {
      maxItems: maxRedirectUris,
      uniqueItems: true,
      description:
        'Absolute URLs: https, or http for this machine. They are compared character by character; of http://127.0.0.1 and http://[::1] the port may differ.',
      examples: [['http://127.0.0.1/callback']],
    }),
  },
  { $id: 'RedirectUris', description: 'Where people may be sent back to.' },
);

export type RedirectUriList = Static<typeof RedirectUriList>;

const ends = ['expired', ...consentEnds.filter((each) => each !== 'forged')] as const;

const Consent = Type.Object(
  {
    consentId: Type.String({ description: 'Its id.', examples: ['con-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'] }),
    personId,
    userName,
    scopes: Type.Array(Type.String(), { description: 'What the person allowed.', examples: [['policies:read']] }),
    createdAt: moment('When it was given, by your clock.'),
    expiresAt: moment('Until when it holds, by your clock.', '2026-05-31T10:15:30.000Z'),
    endedAt: momentOrNull('When it ended, by your clock; null while it holds.', null),
    endedBy: Type.Unsafe<(typeof ends)[number] | null>({
      type: ['string', 'null'],
      enum: [...ends, null],
      description:
        'What ended it: time, the person, a token that you revoked, or a code or a refresh token that came again.',
      examples: [null],
    }),
  },
  { $id: 'Consent', description: 'What a person lets your client do.' },
);

export type Consent = Static<typeof Consent>;

export const ConsentList = PageOf(Consent, 'ConsentList', 'Latest first.');

export const ConsentId = Type.Object({
  consentId: Type.String({
    description: 'The id of a consent, such as GET /me/consents lists them.',
    examples: ['con-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
  }),
});
