import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../test/browser/support/chromium.ts';
import { scratchDirectory } from './cleanup.ts';
import { startLPlate } from './servers.ts';

export interface InBrowser {
  /** Bytes that the first visit loads, as they come over the wire. */
  readonly firstLoad: number;
  /** Milliseconds until the first visitor can press the button, on a processor four times slower. */
  readonly usable: number;
  /** Milliseconds of the longest task while 300 exchanges are shown and 20 a second come. */
  readonly traffic: number;
  /** Milliseconds of the longest task while the trainer sees 200 learners who all call. */
  readonly board: number;
}

const trainerToken = 'a-token-of-the-trainer';
const classSize = 200;
const slowdown = 4;

/** The console in Chromium; undefined without one. */
export async function inBrowser(rounds: number, told: (what: string) => void): Promise<InBrowser | undefined> {
  const executablePath = chromiumPath();
  if (!executablePath) return undefined;
  told('the console in a browser');
  const lplate = await startLPlate(join(scratchDirectory(), 'console'), {
    TRAINER_TOKEN: trainerToken,
    DEMO_CLIENTS_PER_DAY: '0',
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  const visits: { bytes: number; ms: number }[] = [];
  for (let round = 0; round < rounds; round += 1) visits.push(await firstVisit(browser, lplate.url));
  visits.sort((a, b) => a.ms - b.ms);
  const middle = visits[Math.floor(visits.length / 2)] as (typeof visits)[0];
  const traffic = await longestOfTraffic(browser, lplate.url, rounds);
  const board = await longestOfBoard(browser, lplate.url, rounds);
  await browser.close();
  await lplate.stop();
  return { firstLoad: middle.bytes, usable: middle.ms, traffic, board };
}

/**
 * Notes when the page has painted its button, by its own clock from the beginning of the navigation: to ask from outside
 * takes time of the slow processor, too.
 */
const noteUsable = `usableAt = 0;
  new MutationObserver((_, observer) => {
    if (!/make a client/i.test(document.querySelector('#console button.primary')?.textContent)) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame((at) => (usableAt = at)));
  }).observe(document, { subtree: true, childList: true });`;

async function firstVisit(browser: Browser, url: string): Promise<{ bytes: number; ms: number }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  let bytes = 0;
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.addInitScript(noteUsable);
  await page.goto(url);
  const ms = (await (await page.waitForFunction('usableAt')).jsonValue()) as number;
  await pause(500);
  await context.close();
  return { bytes, ms };
}

/** Watches for tasks that keep the page from answering. */
async function watched(page: Page, work: () => Promise<void>): Promise<number> {
  await page.evaluate(`longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });`);
  await work();
  return (await page.evaluate('longest')) as number;
}

async function longestOfTraffic(browser: Browser, url: string, rounds: number): Promise<number> {
  const { client_id: clientId, client_secret: clientSecret } = await json(`${url}/insurer/v1/demo-clients`);
  const own = `${url}/for/${clientId}/insurer/v1`;
  for (let call = 0; call < 300; call += 1) await fetch(`${own}/coverage-options?call=${call}`);
  const context = await browser.newContext();
  await context.addInitScript(
    (stored) => localStorage.setItem('lplate.client', stored),
    JSON.stringify({ clientId, clientSecret }),
  );
  const page = await context.newPage();
  await page.goto(`${url}/#/traffic`);
  await page.getByText('call=299').first().hover();
  const longest = await watched(page, async () => {
    for (let call = 0; call < 100 * rounds; call += 1) {
      await Promise.all([
        fetch(`${own}/policies?call=${call}`),
        pause(50),
        page.mouse.wheel(0, call % 40 < 20 ? 300 : -300),
      ]);
    }
  });
  await context.close();
  return longest;
}

async function longestOfBoard(browser: Browser, url: string, rounds: number): Promise<number> {
  const learners: string[] = [];
  for (let number = 0; number < classSize; number += 1) {
    const { client_id: id } = await json(`${url}/insurer/v1/demo-clients`);
    learners.push(`${url}/for/${id}/insurer/v1`);
  }
  const all = () => Promise.all(learners.map((own) => fetch(`${own}/coverage-options`)));
  await all();
  const context = await browser.newContext();
  await context.addInitScript((token) => sessionStorage.setItem('lplate.trainer', token), trainerToken);
  const page = await context.newPage();
  await page.goto(`${url}/#/trainer/lessons`);
  await page.getByRole('grid', { name: 'Learners and lessons' }).waitFor();
  const longest = await watched(page, async () => {
    for (let second = 0; second < 5 * rounds; second += 1) {
      await Promise.all([all(), pause(1000), page.mouse.wheel(0, second % 4 < 2 ? 900 : -900)]);
    }
  });
  await context.close();
  return longest;
}

async function json(url: string): Promise<{ client_id: string; client_secret: string }> {
  const answer = await fetch(url, { method: 'POST' });
  if (!answer.ok) throw new Error(`POST ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json() as never;
}
