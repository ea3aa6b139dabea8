import type { EndpointText } from '../../http/endpoint.ts';
import { OptionalPageQuery } from '../../http/requests/paging.ts';
import { nextPage, ofTrainer, onePage } from '../texts.ts';
import { Announcement, LearnerList } from './learner-schemas.ts';
import {
  AnnouncementDraft,
  Csv,
  Export,
  ExportQuery,
  RemovalOfLearners,
  ResetOfAll,
  ResetQuery,
  SharedSecrets,
  TransferList,
} from './trainer-schemas.ts';

const csv = 'text/csv; charset=utf-8';

const fileOf = (name: string) => ({
  'Content-Disposition': `attachment; filename="${name}"`,
});

const readsAnnouncement = {
  readAnnouncement: { operationId: 'readAnnouncement', description: 'It can be read.', parameters: {} },
};

/** Links to the operations on the first of the clients. */
const linksToLearner = Object.fromEntries(
  Object.entries({
    readLearner: 'The client can be looked at.',
    readLearnerCertificate: 'What the client learned can be certified.',
    updateLearner: 'The client can get another nickname.',
    resetLearner: 'All that the client owns can be removed.',
    removeLearner: 'The client can be removed.',
    openLearnersTransfer: 'It can go on in another browser.',
    putNote: 'Something can be said to it.',
    deleteNote: 'That can be taken back.',
    endLearnersHelp: 'It can be marked as helped.',
    listLearnerExchanges: 'The calls of the client can be read.',
    startLearnersDrill: 'A drill can be started for the client.',
    listLearnersDrills: 'Its drills can be listed.',
    listLearnersExaminations: 'What it reported of its own insurer can be read.',
    readLearnerClock: 'Its clock can be read.',
    advanceLearnerClock: 'Its clock can be moved ahead.',
  }).map(([operationId, description]) => [
    operationId,
    { operationId, description, parameters: { clientId: '$response.body#/items/0/clientId' } },
  ]),
);

/** The endpoints of the trainer about all clients and the class. */
export const trainerTexts = {
  listLearners: {
    schema: {
      operationId: 'listLearners',
      tags: ['Trainer'],
      summary: 'List the clients that called',
      description: 'Those that called last come first. An entry goes with its client, a day after its last use.',
      security: ofTrainer,
      querystring: OptionalPageQuery,
      response: { 200: LearnerList },
    },
    success: onePage,
    headers: nextPage('/trainer/learners'),
    links: linksToLearner,
    guesses: ['trainer', 'learners'],
  },
  readSecrets: {
    schema: {
      operationId: 'readSecrets',
      tags: ['Trainer'],
      summary: 'Read the secrets to hand out',
      description:
        'What learners need for the signed check and for the preconfigured clients, as the server prints it when it starts. In the log of your calls they are redacted.',
      security: ofTrainer,
      response: { 200: SharedSecrets },
    },
    success: 'The secrets.',
  },
  removeLearners: {
    schema: {
      operationId: 'removeLearners',
      tags: ['Trainer'],
      summary: 'End the class: remove all learners',
      description:
        'Removes every demo client with all that is of it: its credentials, nickname, clock, lessons and calls; the announcement, and the calls of the trainer and of nobody. What is removed is overwritten in the file of the database. Who wants to go on needs a new client. The preconfigured clients stay. A client that is created meanwhile stays too.',
      security: ofTrainer,
      response: { 200: RemovalOfLearners },
    },
    success: 'They are gone.',
  },
  resetAll: {
    schema: {
      operationId: 'resetAll',
      tags: ['Trainer'],
      summary: 'Remove all that all clients own',
      description:
        'As `POST /me/reset` for every client but the preconfigured ones. Their credentials stay valid, so it can be called between two tests. On a service that keeps its data in memory, `what=everything` brings all back to how it was after the start: demo clients are gone, with the announcement, drills and counted calls, the preconfigured ones have their first state, streams end, and a clock that stands still and the sequences of a seed begin again.',
      security: ofTrainer,
      querystring: ResetQuery,
      response: { 200: ResetOfAll },
    },
    success: 'All is gone.',
  },
  resetFleet: {
    schema: {
      operationId: 'resetFleet',
      tags: ['Trainer'],
      summary: 'Give preset-fleet its first state',
      description:
        'All that the client owns is removed, as by `POST /me/reset`, and it gets its 75 policies, new ones from today. New claims follow within seconds.',
      security: ofTrainer,
      response: { 204: {} },
    },
    success: 'It is as after the first start.',
    guesses: ['trainer/fleet'],
  },
  openTransfers: {
    schema: {
      operationId: 'openTransfers',
      tags: ['Trainer'],
      summary: 'Get a code for each learner',
      description:
        'As `POST /trainer/learners/{clientId}/transfer` for each client that called, at most the 500 that called last: a list to print before the address of the service changes. The codes that they had before end. There is no `Location`: the codes are shown only here.',
      security: ofTrainer,
      response: { 201: TransferList },
    },
    success: 'The codes.',
    links: {
      useTransfer: {
        operationId: 'useTransfer',
        description: 'A client can be taken over with its code.',
        parameters: {},
        requestBody: { code: '$response.body#/items/0/code' },
      },
    },
    guesses: ['trainer/transfer', 'trainer/learners/transfers'],
  },
  readAnnouncement: {
    schema: {
      operationId: 'readAnnouncement',
      tags: ['Trainer'],
      summary: 'Read the announcement',
      description: 'The one that every `GET /me` shows.',
      security: ofTrainer,
      response: { 200: Announcement },
    },
    success: 'The announcement.',
  },
  publishAnnouncement: {
    schema: {
      operationId: 'publishAnnouncement',
      tags: ['Trainer'],
      summary: 'Announce something to everybody',
      description:
        'Every `GET /me` shows it until you delete or replace it, or the `minutes` are over, also after a restart.',
      security: ofTrainer,
      body: AnnouncementDraft,
      response: { 200: Announcement },
    },
    success: 'The announcement.',
    links: readsAnnouncement,
    guesses: ['announcement', 'announcements', 'trainer/announcements'],
    instead: { POST: 'There is one announcement at the most. To make or replace it: PUT.' },
  },
  deleteAnnouncement: {
    schema: {
      operationId: 'deleteAnnouncement',
      tags: ['Trainer'],
      summary: 'Delete the announcement',
      description: 'Does nothing if there is none.',
      security: ofTrainer,
      response: { 204: {} },
    },
    success: 'There is none now.',
  },
  exportLearners: {
    schema: {
      operationId: 'exportLearners',
      tags: ['Trainer'],
      summary: 'Export the clients that called',
      description:
        'As JSON, or as CSV with `Accept: text/csv`. For a program that can’t set this header, `/trainer/export.csv` is always CSV.',
      security: ofTrainer,
      querystring: ExportQuery,
      response: { 200: { content: { 'application/json': { schema: Export }, [csv]: { schema: Csv } } } },
    },
    success: 'The clients.',
    headers: fileOf('learners.json'),
    guesses: ['export', 'trainer/export.json', 'trainer/learners.csv'],
  },
  exportLearnersAsCsv: {
    schema: {
      operationId: 'exportLearnersAsCsv',
      tags: ['Trainer'],
      summary: 'Export the clients that called as CSV',
      description: 'As `/trainer/export` with `Accept: text/csv`.',
      security: ofTrainer,
      querystring: ExportQuery,
      response: { 200: { content: { [csv]: { schema: Csv } } } },
    },
    success: 'The clients.',
    headers: fileOf('learners.csv'),
  },
} satisfies Record<string, EndpointText>;

export const csvType = csv;
