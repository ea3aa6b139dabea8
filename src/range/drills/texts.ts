import Type from 'typebox';
import type { EndpointText } from '../../http/endpoint.ts';
import { OptionalPageQuery } from '../../http/requests/paging.ts';
import { LearnerId } from '../learner-endpoints.ts';
import { base, nextPage, ofClient, ofTrainer, onePage } from '../texts.ts';
import { durationNames } from './parameters.ts';
import { Drill, DrillDraft, DrillKindList, DrillList, DrillNamed, TrainerDrillDraft } from './schemas.ts';

const tags = ['Drills'];

const again = 'If it is on already, it begins anew with these parameters and its count of calls begins again.';

const instead = {
  PUT: 'A drill can’t be changed: POST starts it anew.',
  PATCH: 'A drill can’t be changed: POST starts it anew.',
};

export const drillKindsText = {
  schema: {
    operationId: 'listDrillKinds',
    tags,
    summary: 'List the drills there are',
    description: 'With their parameters, defaults and bounds. No token is needed.',
    querystring: OptionalPageQuery,
    response: { 200: DrillKindList },
  },
  success: onePage,
  headers: nextPage('/drills'),
  guesses: ['faults', 'chaos'],
  instead: { POST: 'To start a drill: POST /me/drills.' },
} satisfies EndpointText;

/** What people call the members of a drill. A drill would start without them, with its defaults. */
const otherNames = {
  ...Object.fromEntries(durationNames.map((name) => [name, 'minutes'])),
  ...{ params: 'parameters', options: 'parameters', settings: 'parameters', config: 'parameters', drill: 'name' },
};

interface Words {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

/** The differences between the drills of the caller, of a client and of all clients. */
interface DrillWords {
  /** Where they are, in examples. */
  readonly path: string;
  readonly security: typeof ofClient | typeof ofTrainer;
  /** The parameters of the path besides the name of a drill. */
  readonly params: Record<string, (typeof LearnerId.properties)['clientId']>;
  readonly start: Words;
  readonly list: Words;
  readonly read: Words;
  readonly end: Words;
}

function drillTexts({ path, security, params, start, list, read, end }: DrillWords) {
  const common = { tags, security };
  const body = security === ofTrainer ? TrainerDrillDraft : DrillDraft;
  const ofAll = Type.Object(params);
  const ofOne = Type.Object({ ...params, ...DrillNamed.properties });
  const inPath = Object.fromEntries(Object.keys(params).map((name) => [name, `$request.path.${name}`]));
  const link = ({ operationId }: Words, description: string) => ({
    [operationId]: { operationId, description, parameters: { name: '$response.body#/name', ...inPath } },
  });
  return {
    start: {
      schema: { ...common, ...start, params: ofAll, body, response: { 201: Drill } },
      otherNames,
      success: 'The drill, which is on from now.',
      headers: { Location: `${base}${path}/duplicate-events` },
      links: { ...link(read, 'The drill can be read.'), ...link(end, 'It can be ended.') },
    },
    list: {
      schema: { ...common, ...list, params: ofAll, querystring: OptionalPageQuery, response: { 200: DrillList } },
      success: onePage,
      headers: nextPage(path),
    },
    read: {
      schema: { ...common, ...read, params: ofOne, response: { 200: Drill } },
      success: 'The drill.',
      instead,
    },
    end: {
      schema: { ...common, ...end, params: ofOne, response: { 204: {} } },
      success: 'Ended.',
    },
  } satisfies Record<string, EndpointText>;
}

const withTime = 'With the time that is left.';

/** Drills of the caller. */
export const ownTexts = drillTexts({
  path: '/me/drills',
  security: ofClient,
  params: {},
  start: {
    operationId: 'startDrill',
    summary: 'Start a drill',
    description: `It hits your calls to the systems, and nobody else’s, until its time is over. ${again} Several drills can be on together.`,
  },
  list: {
    operationId: 'listDrills',
    summary: 'List your drills',
    description: 'Those that are on for you, also those that the trainer started.',
  },
  read: { operationId: 'readDrill', summary: 'Read a drill', description: withTime },
  end: {
    operationId: 'endDrill',
    summary: 'End a drill',
    description:
      'It is off from now; if it was not on, nothing changes. One that is on for all clients stays on: only the trainer can end it.',
  },
});

/** Drills of a client, for the trainer. */
export const learnerTexts = drillTexts({
  path: '/trainer/learners/demo-3f9a1c5e7b2d4f60a8c1/drills',
  security: ofTrainer,
  params: LearnerId.properties,
  start: {
    operationId: 'startLearnersDrill',
    summary: 'Start a drill for a client',
    description: `It is as if the client had started it, and the client can end it. ${again}`,
  },
  list: {
    operationId: 'listLearnersDrills',
    summary: 'List the drills of a client',
    description: 'Those that are on for it, those of all clients included.',
  },
  read: { operationId: 'readLearnersDrill', summary: 'Read a drill of a client', description: withTime },
  end: { operationId: 'endLearnersDrill', summary: 'End a drill of a client', description: 'Whoever started it.' },
});

/** Drills of all clients, for the trainer. */
export const commonTexts = drillTexts({
  path: '/trainer/drills',
  security: ofTrainer,
  params: {},
  start: {
    operationId: 'startCommonDrill',
    summary: 'Start a drill for all clients',
    description: `It hits all clients but the preconfigured ones, also those that come later. For a client that has a drill of this name of its own, that one counts. ${again}`,
  },
  list: {
    operationId: 'listCommonDrills',
    summary: 'List the drills of all clients',
    description: 'Those that were started for all. The drills of one client are listed there.',
  },
  read: { operationId: 'readCommonDrill', summary: 'Read a drill of all clients', description: withTime },
  end: {
    operationId: 'endCommonDrill',
    summary: 'End a drill of all clients',
    description: 'Drills of this name that are on for one client go on.',
  },
});
