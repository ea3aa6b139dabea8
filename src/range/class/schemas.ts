import Type, { type Static } from 'typebox';
import { momentOrNull, textOrNull, whole } from '../shapes.ts';
import { Announcement } from './learner-schemas.ts';

const fingerprint = '4B:A1:3C:5E:0D:92:77:F0:61:2A:B8:C4:D9:13:6F:8E:25:A7:50:3B:E6:1C:94:08:7D:F2:AB:43:9E:65:D1:0C';

export const ServiceInfo = Type.Object(
  {
    authority: Type.Union(
      [
        Type.Object(
          {
            page: Type.String({
              description: 'How to trust it, and its certificate.',
              examples: ['https://192.168.1.20:8080/ca'],
            }),
            certificate: Type.String({
              description: 'Its certificate in PEM.',
              examples: ['https://192.168.1.20:8080/ca.pem'],
            }),
            fingerprint: Type.String({ description: 'SHA-256 of the certificate.', examples: [fingerprint] }),
          },
          { $id: 'ClassAuthority', description: 'Who signed the certificate of this service.' },
        ),
        Type.Null(),
      ],
      {
        description:
          'The authority that the service made for itself (`--tls self`), which no machine trusts yet; null without one.',
        examples: [null],
      },
    ),
    classEndedAt: momentOrNull(
      'When the trainer ended a class last, which removed all clients that there were; null if that never happened.',
      null,
    ),
  },
  { $id: 'ServiceInfo', description: 'What a program may want to know of this service before it has a client.' },
);

export const ClassInfo = Type.Object(
  {
    lessonsFile: textOrNull(
      'The name of the file that chose the lessons (`LESSONS`); null if none did: then all are there.',
      'class.json',
    ),
    lessons: whole('How many lessons there are.', 23),
    ownLessons: whole('How many of them the file adds.', 1),
    topics: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Its id, as a file of lessons names it.', examples: ['policies'] }),
          title: Type.String({ description: 'Its title.', examples: ['Policies'] }),
          lessons: Type.Array(
            Type.Object(
              {
                id: Type.String({ description: 'Its id.', examples: ['first-policy'] }),
                title: Type.String({ description: 'Its title.', examples: ['The first policy'] }),
                own: Type.Boolean({ description: 'Whether the file adds it.', examples: [false] }),
              },
              { $id: 'ClassLesson', description: 'A lesson of the class.' },
            ),
            { description: 'Its lessons that were chosen, in their order.' },
          ),
        },
        {
          $id: 'ClassTopic',
          description: 'A topic. One whose lessons don’t follow each other is there several times.',
        },
      ),
      { description: 'The path: the topics in the order in which learners meet them.' },
    ),
    announcement: Type.Union([Announcement, Type.Null()], {
      description: 'What you announce to everybody; null if there is nothing.',
      examples: [{ text: 'Lunch is at 12:30.', publishedAt: '2026-03-02T10:15:30.000Z' }],
    }),
    addresses: Type.Array(Type.String(), {
      description: 'Where other machines reach this service, the likeliest first. Empty if only this machine does.',
      examples: [['http://192.168.1.20:8080']],
    }),
  },
  { $id: 'ClassInfo', description: 'How this service is set up for a class.' },
);

export type ServiceInfo = Static<typeof ServiceInfo>;
export type ClassInfo = Static<typeof ClassInfo>;
