import type { Page } from 'playwright-core';
import { type HostileScene, hostile, hostileToken } from './hostile-scene.ts';

/** A page of the console, with the marks of the fields that it must show. */
export interface Place {
  /** What stands after `#`. */
  readonly path: string;
  /** Words of the page itself, by which one knows that it is there. */
  readonly says?: readonly string[];
  /** Marks that can be read on the page. */
  readonly shows?: readonly string[];
  /** Marks of what can be chosen. */
  readonly options?: readonly string[];
  /** Labels of fields, and the mark that stands in each. */
  readonly fields?: readonly (readonly [label: string, mark: string])[];
  /** What brings it there. */
  readonly act?: (page: Page) => Promise<void>;
}

/** As it stands in the text. */
export const markOf = (mark: string) => `~${mark}~`;

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** A part of an address that is as hostile as it can be, and long. */
const part = (mark: string, most = 2000) => encodeURIComponent(hostile(mark, most));

/** On every page: whose it is, and what the trainer announces. */
const around = ['nickname', 'announcement'];

/** Opens what is folded in. */
const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>('.fold')) fold.open = true;
  });

export function learnersPlaces({ policy, claim, subscription, exchanges }: HostileScene): readonly Place[] {
  const exchange = (name: keyof typeof exchanges, ...shows: string[]): Place => ({
    path: `/traffic/${exchanges[name]}`,
    shows: [...around, ...shows],
    act: async (page) => {
      await page.getByRole('heading', { level: 2, name: 'Answer' }).waitFor();
      await unfold(page);
    },
  });
  return [
    { path: '/', shows: [...around, 'title'] },
    { path: '/lessons', shows: [...around, 'topic'] },
    { path: '/lessons?level=1', shows: [...around, 'topic', 'title', 'solved'] },
    { path: '/lessons/hostile', shows: ['title', 'topic', 'why', 'hint', 'code', 'section'] },
    { path: '/lessons/proved', shows: ['solved', 'reason', 'title', 'proof'] },
    {
      path: '/lessons/token-decoded',
      fields: [['Your answer', 'answer']],
      act: async (page) => {
        await page.getByLabel('Your answer').fill(hostile('answer', 900));
        await press(page, 'Send the answer');
        await page.getByText('Not yet.').waitFor();
      },
    },
    { path: `/lessons/${part('lesson', 16_000)}`, shows: ['lesson'] },
    { path: `/lessons/capstones/${part('capstone')}`, shows: ['capstone'] },
    { path: '/lessons/certificate', shows: ['nickname', 'solved'] },
    { path: '/traffic', shows: [...around, 'path', 'hook'] },
    {
      path: `/traffic?q=${part('q')}&status=${part('status')}&kind=${part('kind')}&system=${part('system')}&problem=${part('problem')}&path=${part('begins')}`,
      shows: ['begins', 'problem', 'status', 'kind', 'system'],
      fields: ['q', 'status', 'kind', 'system'].map((mark) => ['Search', mark] as const),
    },
    exchange('address', 'path', 'query', 'parameter', 'agent', 'referer', 'name', 'value'),
    exchange('json', 'number', 'deep', 'member', 'text', 'option', 'key'),
    {
      ...exchange('bytes', 'bytes'),
      act: async (page) => {
        for (const tab of ['As text', 'Base64', 'Bytes']) await page.getByRole('tab', { name: tab }).first().click();
      },
    },
    exchange('line', 'line'),
    exchange('form', 'grant', 'id', 'field'),
    exchange('soap', 'soap', 'action'),
    exchange('token', 'kid', 'head', 'sub', 'claim', 'inner'),
    exchange('signed', 'body'),
    {
      path: '/traffic?kind=delivery',
      shows: ['hook', 'location', 'type', 'after'],
      act: async (page) => {
        await page.getByRole('list', { name: 'Calls' }).getByRole('link').first().click();
        await page.getByRole('heading', { level: 2, name: 'What your webhook answered' }).waitFor();
        await unfold(page);
      },
    },
    { path: `/traffic/${part('exchange')}`, says: ['No such exchange'] },
    { path: `/traffic/${exchanges.address}/compare/${exchanges.json}`, shows: ['path', 'agent', 'member', 'key'] },
    { path: `/traffic/${part('before')}/compare/${part('other')}`, says: ['No such exchange'] },
    { path: '/policies', shows: [...around, 'holder'] },
    { path: `/policies?page=${part('page')}&pageSize=${part('size')}`, shows: ['holder'] },
    { path: `/policies/${policy}`, shows: ['holder'], fields: [['Holder', 'holder']] },
    { path: `/policies/${part('policy')}`, shows: ['policy'] },
    {
      path: `/claims?policy=${part('asked')}`,
      options: ['asked', 'holder'],
      act: async (page) => {
        await press(page, 'Register it');
        await page.getByText('was answered').waitFor({ state: 'attached' });
      },
    },
    { path: `/claims/${part('claim')}`, shows: ['claim'] },
    { path: `/claims/${claim}`, shows: ['document'] },
    { path: `/policies/statements/${part('statement')}`, says: ['Make it', 'What this problem means'] },
    { path: `/policies/erasures/${part('erasure')}`, says: ['Erase the name', 'What this problem means'] },
    {
      path: `/events?claim=${part('events')}&order=${part('order')}&at=${part('at')}`,
      shows: ['events'],
      options: ['events'],
    },
    { path: '/webhooks', shows: [...around, 'hook'] },
    {
      path: `/webhooks/${subscription}`,
      shows: ['hook'],
      act: (page) =>
        page
          .getByRole('button', { name: /^Attempts of delivery/ })
          .first()
          .click(),
    },
    { path: `/webhooks/${part('subscription')}`, shows: ['subscription'] },
    { path: '/people', shows: around },
    { path: `/people/${part('person')}`, says: ['Who they are'] },
    {
      path: '/people/flow',
      shows: ['state', 'iss', 'error', 'said'],
      act: async (page) => {
        const query = ['state', 'iss', 'error'].map((name) => `${name}=${part(name, 300)}`).join('&');
        const { origin } = new URL(page.url());
        await page.goto(`${origin}/?${query}&error_description=${part('said', 300)}`);
        await page.getByText('This tab never sent it').waitFor();
      },
    },
    {
      path: '/time',
      shows: around,
      fields: [['Duration', 'duration']],
      act: async (page) => {
        await press(page, 'What would happen?');
        await page.getByLabel('Duration').fill(hostile('duration', 2000));
        await press(page, 'Move my clock');
        await page.getByRole('alert').waitFor();
      },
    },
    {
      path: '/workbench/token',
      shows: ['kid', 'head', 'sub', 'claim', 'inner'],
      act: (page) => page.getByRole('textbox', { name: 'Token' }).fill(hostileToken),
    },
    {
      path: '/workbench/signature',
      fields: [['Body', 'body']],
      act: async (page) => {
        await page.getByLabel('Body', { exact: true }).fill(hostile('body', 16_000));
        await page.getByLabel('Secret', { exact: true }).fill(hostile('secret', 100));
        await press(page, 'Send it');
        await page.getByRole('region', { name: 'The answer', exact: true }).waitFor();
      },
    },
    {
      path: '/workbench/soap',
      shows: ['plate'],
      act: async (page) => {
        const envelope = page.getByLabel('Envelope', { exact: true });
        const plate = hostile('plate', 300).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        await envelope.fill(
          (await envelope.inputValue()).replace(/(<\w*:?RegNumber>)[^<]*/, (_, open) => open + plate),
        );
        await press(page, 'Send it');
        await page.getByRole('heading', { name: 'The answers' }).waitFor();
      },
    },
    {
      path: '/workbench/cursor',
      shows: ['cursor'],
      act: async (page) => {
        await page.getByLabel('after', { exact: true }).fill(hostile('cursor', 2000));
        await press(page, 'Read the batch');
        await press(page, 'From earliest');
        await page.getByText('Batches before').waitFor();
      },
    },
    {
      path: '/workbench/webhook',
      shows: ['version'],
      act: async (page) => {
        const headers = `webhook-id: ${hostile('message')}\nwebhook-timestamp: ${hostile('stamp')}\nwebhook-signature: ~version~,${hostile('given')}`;
        await page.getByLabel('Headers', { exact: true }).fill(headers);
        await page.getByLabel('Body', { exact: true }).fill(hostile('body', 16_000));
        await page.getByLabel('Secret of the subscription').fill(`whsec_${'A'.repeat(44)}`);
      },
    },
    { path: `/workbench/${part('tool')}`, says: ['It is decoded here'], shows: around },
    { path: `/guides/${part('guide')}`, says: ['There is no such guide'], shows: around },
    { path: `/guides/events/${part('heading')}`, says: ['On this page'], shows: around },
    ...['constructor', '__proto__', 'toString', part('page', 16_000), '%E0%A4%A', '%FF?%FF=%'].map(
      (path): Place => ({ path: `/${path}`, says: ['There is no such page'], shows: around }),
    ),
  ];
}

export function trainersPlaces({ learner, exchanges }: HostileScene): readonly Place[] {
  const names = ['nickname', 'markup'];
  return [
    { path: '/trainer/class', shows: [...names, 'title'] },
    { path: '/trainer/class?wall', shows: [...names, 'title'] },
    { path: '/trainer/lessons', shows: [...names, 'title', 'topic', 'solved'] },
    {
      path: '/trainer/lessons',
      act: (page) => page.locator('[data-row] td.solved').first().hover(),
    },
    { path: '/trainer/controls', shows: ['announcement', 'nobody'], options: names },
    {
      path: '/trainer/controls',
      shows: ['nickname'],
      act: async (page) => {
        const label = await page.getByRole('option', { name: '~nickname~' }).innerText();
        await page.getByLabel('For whom').selectOption({ label });
        await press(page, 'Reset this learner');
      },
    },
    { path: '/trainer/join', shows: [] },
    { path: '/trainer/join?wall', shows: ['announcement'] },
    {
      path: `/trainer/learners/${learner.id}`,
      shows: ['nickname', 'title', 'path', 'hook'],
      act: (page) =>
        page
          .getByRole('button', { name: /~path~/ })
          .first()
          .click(),
    },
    { path: `/trainer/learners/${part('learner')}`, shows: ['learner'] },
    { path: `/trainer/${part('part')}?${part('query')}`, shows: names },
    { path: '/trainer/constructor', shows: names },
    { path: `/trainer/learners/${learner.id}/${exchanges.address}`, shows: ['nickname'] },
  ];
}
