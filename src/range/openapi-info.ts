import type { Replacements } from '../http/descriptions/examples.ts';
import { commonText } from '../http/descriptions/text.ts';
import { tokenSchemes } from '../insurer/index.ts';

/** The title, tags and security schemes of the description of the range. */
export function openApiInfo(publicUrl: string) {
  const server = `${publicUrl}/range/v1`;
  return {
    title: 'L-Plate range',
    version: '1.0.0',
    description: [
      'What you did here, and how it went: each call that you made to one of the systems, with its answer. A real insurer has nothing like it.',
      '',
      `Tokens are those of the insurer (${publicUrl}/insurer/v1), with any scope. A call is yours by its token; by the client_id of a request for a token; by a personal prefix (\`/for/{client_id}\` before any address, for calls that carry neither); or else if you are the only client that was seen from its address in the last 15 minutes. Calls of the range itself are in none of these logs and count against a limit of their own.`,
      '',
      'Secrets, tokens and signatures are removed before anything is stored. Placeholders such as `(secret, 43 characters)` stand in their place.',
      '',
      ...commonText(
        publicUrl,
        'Members and query parameters that are not listed here are ignored and named in the header `L-Plate-Ignored`, unless the name is nearly a listed one: that is a `validation-error`. A body is ignored if none is listed.',
      ),
    ].join('\n'),
    server,
    publicUrl,
    replacements: (today: string): Replacements => ({ '2026-03-02': today }),
    tags: [
      { name: 'Me', description: 'The client of the token.' },
      { name: 'Clock', description: 'The time that it is for you.' },
      { name: 'Exchanges', description: 'Your calls and their answers.' },
      { name: 'Relay', description: 'Webhooks by way of your own machine.' },
      { name: 'People', description: 'Fictional policyholders, who can let your app in.' },
      { name: 'Drills', description: 'Faults that you switch on for your own calls.' },
      { name: 'Lessons', description: 'What to learn, and how far you got. Your calls solve them.' },
      { name: 'Capstones', description: 'Several lessons at once, timed, with a score.' },
      { name: 'Examinations', description: 'An insurer that you build yourself, stage by stage.' },
      { name: 'Tutor', description: 'For assistants that know the Model Context Protocol.' },
      { name: 'Trainer', description: 'All clients, for the one who has the trainer’s token.' },
      { name: 'Descriptions', description: 'For tools.' },
    ],
    securitySchemes: {
      ...tokenSchemes(publicUrl),
      trainer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The TRAINER_TOKEN, which the service shows when it starts.',
      },
    },
  };
}
