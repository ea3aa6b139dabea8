import Type from 'typebox';
import { policyStatuses } from '../../insurer/index.ts';
import { enumeration } from '../../text/enumeration.ts';
import { TreatedLearner } from '../exchanges/schemas.ts';

const number = (description: string, example: number) => Type.Integer({ description, examples: [example] });

const owned = Type.Object(
  {
    policies: number('Policies, also cancelled and expired ones.', 76),
    claims: number('Claims.', 2),
    subscriptions: number('Subscriptions of webhooks.', 1),
  },
  { $id: 'Owned', description: 'How many of each the client owns.' },
);

export const LearnerProfile = Type.Object(
  { ...TreatedLearner.properties, owns: owned },
  { $id: 'LearnerProfile', description: 'A client, what its calls came to, its clock and drills, and what it owns.' },
);

export const announcementText = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: '^[^\\x00-\\x08\\x0b-\\x1f\\x7f]*$',
  description: '1 to 1000 characters. Line feeds and tabs are allowed, other control characters are not.',
  examples: ['Lunch is at 12:30.'],
});

export const Announcement = Type.Object(
  {
    text: Type.String({ description: 'Plain text. It may contain line feeds.', examples: ['Lunch is at 12:30.'] }),
    publishedAt: Type.String({
      format: 'date-time',
      description: 'When the trainer sent it.',
      examples: ['2026-03-02T10:15:30.000Z'],
    }),
    endsAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When it ends by itself. Absent if it stays until the trainer removes it.',
        examples: ['2026-03-02T10:25:30.000Z'],
      }),
    ),
  },
  { $id: 'Announcement', description: 'What the trainer has to say to everybody.' },
);

export const Me = Type.Object(
  {
    ...LearnerProfile.properties,
    announcement: Type.Union([Announcement, Type.Null()], {
      description: 'What the trainer announces; null if there is nothing.',
      examples: [{ text: 'Lunch is at 12:30.', publishedAt: '2026-03-02T10:15:30.000Z' }],
    }),
  },
  { $id: 'Me', description: 'You: your calls, clock and drills, what you own, and what the trainer announces.' },
);

const status = enumeration('FleetPolicyStatus', policyStatuses, 'The states of a policy.');

export const Fleet = Type.Object(
  {
    policies: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Its id.', examples: ['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'] }),
          regNumber: Type.String({ description: 'The registration number of its vehicle.', examples: ['KD-4711'] }),
          status: status('What it is today.', 'active'),
        },
        { $id: 'FleetPolicy', description: 'A policy that was made.' },
      ),
      { description: 'The 75 policies, oldest first.' },
    ),
  },
  { $id: 'Fleet', description: 'Policies to practise with. `GET /insurer/v1/policies` shows them whole.' },
);
