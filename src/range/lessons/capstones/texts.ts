import type { EndpointText } from '../../../http/endpoint.ts';
import { OptionalPageQuery } from '../../../http/requests/paging.ts';
import { base, nextPage, ofClient, onePage } from '../../texts.ts';
import {
  CapstoneList,
  CapstoneRun,
  CapstoneRunList,
  LevelQuery,
  MyCapstone,
  MyCapstoneList,
  OfCapstone,
  OfRun,
} from './schemas.ts';

const tags = ['Capstones'];

const ofRun = { capstoneId: '$response.body#/capstone', number: '$response.body#/number' };

/** The shapes and texts of capstones. */
export const texts = {
  listCapstones: {
    schema: {
      operationId: 'listCapstones',
      tags,
      summary: 'List the capstones',
      description: 'No token is needed.',
      querystring: OptionalPageQuery,
      response: { 200: CapstoneList },
    },
    success: onePage,
    headers: nextPage('/capstones'),
    guesses: ['exams', 'projects'],
  },
  listMyCapstones: {
    schema: {
      operationId: 'listMyCapstones',
      tags,
      summary: 'List the capstones, and how far you got',
      description: 'With the run that is on, and your best scores.',
      security: ofClient,
      querystring: OptionalPageQuery,
      response: { 200: MyCapstoneList },
    },
    success: onePage,
    headers: nextPage('/me/capstones'),
  },
  readMyCapstone: {
    schema: {
      operationId: 'readMyCapstone',
      tags,
      summary: 'Read a capstone, and how far you got',
      description: 'With the run that is on, and your best score.',
      security: ofClient,
      params: OfCapstone,
      response: { 200: MyCapstone },
    },
    success: 'The capstone.',
    instead: { POST: 'To start a run: POST /me/capstones/{capstoneId}/runs.' },
  },
  startRun: {
    schema: {
      operationId: 'startRun',
      tags,
      summary: 'Start a run',
      description:
        'What the run needs is made for you, and its conditions hold from now: it starts drills of your client, in place of your own of the same names, and may move your clock ahead, for good. One run is on at a time: a start ends the one before. A program can start the run itself: it takes `given` from the answer, works, waits until `reportFrom`, and reports before `endsAt` with `POST /me/answers`, with the id of the capstone as `lesson`. `givenExample` and `reportExample` of the capstone show both. On level 2 (`?level=2`) the work and the report are the same; `levelTwo` of the capstone has what is harder.',
      security: ofClient,
      params: OfCapstone,
      querystring: LevelQuery,
      response: { 201: CapstoneRun },
    },
    success: 'The run, which is on from now.',
    headers: { Location: `${base}/me/capstones/night-shift/runs/1` },
    links: {
      readRun: { operationId: 'readRun', description: 'The run can be read.', parameters: ofRun },
      endRun: { operationId: 'endRun', description: 'It can be ended.', parameters: ofRun },
    },
  },
  listRuns: {
    schema: {
      operationId: 'listRuns',
      tags,
      summary: 'List your runs of a capstone',
      description: 'The last ten. A reset of your client removes them; the best score stays.',
      security: ofClient,
      params: OfCapstone,
      querystring: OptionalPageQuery,
      response: { 200: CapstoneRunList },
    },
    success: onePage,
    headers: nextPage('/me/capstones/night-shift/runs'),
  },
  readRun: {
    schema: {
      operationId: 'readRun',
      tags,
      summary: 'Read a run',
      description: 'With what happens when, and after the report the score and the faults.',
      security: ofClient,
      params: OfRun,
      response: { 200: CapstoneRun },
    },
    success: 'The run.',
    instead: {
      POST: 'To start another run: POST /me/capstones/{capstoneId}/runs. To report: POST /me/answers.',
      PUT: 'To report a run: POST /me/answers.',
      PATCH: 'To report a run: POST /me/answers.',
    },
  },
  endRun: {
    schema: {
      operationId: 'endRun',
      tags,
      summary: 'End a run',
      description:
        'Its drills end with it, and it gets no score. What was made for it stays. Succeeds also if it has ended.',
      security: ofClient,
      params: OfRun,
      response: { 204: {} },
    },
    success: 'It is not on.',
  },
} satisfies Record<string, EndpointText>;
