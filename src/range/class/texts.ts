import type { EndpointText } from '../../http/endpoint.ts';
import { ofTrainer } from '../texts.ts';
import { ClassInfo, ServiceInfo } from './schemas.ts';

/** The shapes and texts of the service and its class. */
export const classTexts = {
  readService: {
    schema: {
      operationId: 'readService',
      tags: ['Descriptions'],
      summary: 'Read what is known of this service',
      description: 'Whether it has a class authority of its own, and when its last class ended. No token is needed.',
      response: { 200: ServiceInfo },
    },
    success: 'The service.',
    guesses: ['info', 'about', 'status'],
  },
} satisfies Record<string, EndpointText>;

/** The same for the trainer. */
export const trainerClassTexts = {
  readClass: {
    schema: {
      operationId: 'readClass',
      tags: ['Trainer'],
      summary: 'Read how the class is set up',
      description:
        'The lessons that it has and the file that chose them, the addresses for learners, and what you announce.',
      security: ofTrainer,
      response: { 200: ClassInfo },
    },
    success: 'The class.',
    guesses: ['class', 'trainer/path', 'trainer/topics'],
  },
} satisfies Record<string, EndpointText>;
