import Type, { type Static } from 'typebox';

const given = (description: string, example: string) => Type.String({ description, minLength: 1, examples: [example] });

export const SignatureQuestion = Type.Object(
  {
    id: given('The header webhook-id.', '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11'),
    timestamp: given('The header webhook-timestamp.', '1772446540'),
    body: Type.String({
      description: 'The body as your receiver has it.',
      examples: ['{"eventId":"6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11"}'],
    }),
    signature: given(
      'The header webhook-signature, or the signature that your receiver computed.',
      'v1,MPRIUSwnKsYkjJyr1TWJ3bKvgPFYSGjHTCGRyJBUwoU=',
    ),
  },
  { $id: 'SignatureQuestion', description: 'A call of a webhook as your receiver has it.' },
);

export const SignatureFinding = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the signature fits.', examples: [false] }),
    detail: Type.String({
      description: 'What is wrong, as far as it can be told, and what to do.',
      examples: ['It signs the body alone. Sign the id, the timestamp and the body, with dots between them.'],
    }),
  },
  { $id: 'SignatureFinding', description: 'Whether a signature fits, and if not, why.' },
);

/** A call of a webhook as a receiver has it, and the signature that was sent or that the receiver computed. */
export type ReceivedCall = Static<typeof SignatureQuestion>;
export type SignatureFinding = Static<typeof SignatureFinding>;
