import type { EndpointText } from '../../http/endpoint.ts';
import { OptionalPageQuery } from '../../http/paging.ts';
import { base, ofClient, ofTrainer } from '../exchanges/texts.ts';
import { Drill, DrillDraft, DrillKindList, DrillList, OfDrill, OfLearner, OfLearnersDrill } from './schemas.ts';

const tags = ['Drills'];

const started = 'The drill, which is on from now.';
const onePage = 'One page. A page after the last one has no items.';

const page = (path: string) => ({ Link: `<${base}${path}?page=2&pageSize=20>; rel="next"` });

const toOne = (operationIds: Record<string, string>, parameters: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(operationIds).map(([operationId, description]) => [
      operationId,
      { operationId, description, parameters },
    ]),
  );

const itsName = { name: '$response.body#/name' };

const instead = {
  PUT: 'A drill can’t be changed: POST starts it anew.',
  PATCH: 'A drill can’t be changed: POST starts it anew.',
};

const again = 'If it is on already, it begins anew with these parameters and its count of calls begins again.';

/** The shapes and texts of drills. */
export const texts = {
  listDrillKinds: {
    schema: {
      operationId: 'listDrillKinds',
      tags,
      summary: 'List the drills there are',
      description: 'With their parameters, defaults and bounds. No token is needed.',
      querystring: OptionalPageQuery,
      response: { 200: DrillKindList },
    },
    success: onePage,
    headers: page('/drills'),
    guesses: ['faults', 'chaos'],
    instead: { POST: 'To start a drill: POST /me/drills.' },
  },
  startDrill: {
    schema: {
      operationId: 'startDrill',
      tags,
      summary: 'Start a drill',
      description: `It hits your calls to the systems, and nobody else’s, until its time is over. ${again} Several drills can be on together.`,
      security: ofClient,
      body: DrillDraft,
      response: { 201: Drill },
    },
    success: started,
    headers: { Location: `${base}/me/drills/duplicate-events` },
    links: toOne({ readDrill: 'The drill can be read.', endDrill: 'It can be ended.' }, itsName),
  },
  listDrills: {
    schema: {
      operationId: 'listDrills',
      tags,
      summary: 'List your drills',
      description: 'Those that are on for you, also those that the trainer started.',
      security: ofClient,
      querystring: OptionalPageQuery,
      response: { 200: DrillList },
    },
    success: onePage,
    headers: page('/me/drills'),
  },
  readDrill: {
    schema: {
      operationId: 'readDrill',
      tags,
      summary: 'Read a drill',
      description: 'With the time that is left.',
      security: ofClient,
      params: OfDrill,
      response: { 200: Drill },
    },
    success: 'The drill.',
    instead,
  },
  endDrill: {
    schema: {
      operationId: 'endDrill',
      tags,
      summary: 'End a drill',
      description:
        'It is off from now; if it was not on, nothing changes. One that is on for all clients stays on: only the trainer can end it.',
      security: ofClient,
      params: OfDrill,
      response: { 204: {} },
    },
    success: 'Ended.',
  },
  startLearnersDrill: {
    schema: {
      operationId: 'startLearnersDrill',
      tags,
      summary: 'Start a drill for a client',
      description: `It is as if the client had started it, and the client can end it. ${again}`,
      security: ofTrainer,
      params: OfLearner,
      body: DrillDraft,
      response: { 201: Drill },
    },
    success: started,
    headers: { Location: `${base}/trainer/learners/demo-3f9a1c5e7b2d4f60a8c1/drills/duplicate-events` },
    links: toOne(
      { readLearnersDrill: 'The drill can be read.', endLearnersDrill: 'It can be ended.' },
      { ...itsName, clientId: '$request.path.clientId' },
    ),
  },
  listLearnersDrills: {
    schema: {
      operationId: 'listLearnersDrills',
      tags,
      summary: 'List the drills of a client',
      description: 'Those that are on for it, those of all clients included.',
      security: ofTrainer,
      params: OfLearner,
      querystring: OptionalPageQuery,
      response: { 200: DrillList },
    },
    success: onePage,
    headers: page('/trainer/learners/demo-3f9a1c5e7b2d4f60a8c1/drills'),
  },
  readLearnersDrill: {
    schema: {
      operationId: 'readLearnersDrill',
      tags,
      summary: 'Read a drill of a client',
      description: 'With the time that is left.',
      security: ofTrainer,
      params: OfLearnersDrill,
      response: { 200: Drill },
    },
    success: 'The drill.',
    instead,
  },
  endLearnersDrill: {
    schema: {
      operationId: 'endLearnersDrill',
      tags,
      summary: 'End a drill of a client',
      description: 'Whoever started it.',
      security: ofTrainer,
      params: OfLearnersDrill,
      response: { 204: {} },
    },
    success: 'Ended.',
  },
  startCommonDrill: {
    schema: {
      operationId: 'startCommonDrill',
      tags,
      summary: 'Start a drill for all clients',
      description: `It hits all clients but the preconfigured ones, also those that come later. For a client that has a drill of this name of its own, that one counts. ${again}`,
      security: ofTrainer,
      body: DrillDraft,
      response: { 201: Drill },
    },
    success: started,
    headers: { Location: `${base}/trainer/drills/duplicate-events` },
    links: toOne({ readCommonDrill: 'The drill can be read.', endCommonDrill: 'It can be ended.' }, itsName),
  },
  listCommonDrills: {
    schema: {
      operationId: 'listCommonDrills',
      tags,
      summary: 'List the drills of all clients',
      description: 'Those that were started for all. The drills of one client are listed there.',
      security: ofTrainer,
      querystring: OptionalPageQuery,
      response: { 200: DrillList },
    },
    success: onePage,
    headers: page('/trainer/drills'),
  },
  readCommonDrill: {
    schema: {
      operationId: 'readCommonDrill',
      tags,
      summary: 'Read a drill of all clients',
      description: 'With the time that is left.',
      security: ofTrainer,
      params: OfDrill,
      response: { 200: Drill },
    },
    success: 'The drill.',
    instead,
  },
  endCommonDrill: {
    schema: {
      operationId: 'endCommonDrill',
      tags,
      summary: 'End a drill of all clients',
      description: 'Drills of this name that are on for one client go on.',
      security: ofTrainer,
      params: OfDrill,
      response: { 204: {} },
    },
    success: 'Ended.',
  },
} satisfies Record<string, EndpointText>;
