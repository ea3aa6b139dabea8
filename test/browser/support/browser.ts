import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page logged as an error so far: none is expected. Those that a test means to cause it takes out. */
  readonly errors: string[];
}

export interface VisitOptions {
  /** The page's part after `#`: `/traffic`. */
  readonly path?: string;
  /** The client that the browser has already. */
  readonly client?: { readonly id: string; readonly secret: string };
  /** The token of the trainer that it has already. */
  readonly trainer?: string;
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  /** Default: it is on. */
  readonly javaScript?: boolean;
}

let browser: Promise<Browser> | undefined;

/** One Chromium for the tests of a file; each visit has storage of its own. */
function launched(): Promise<Browser> {
  const executablePath = chromiumPath();
  assert.ok(executablePath, 'no Chromium');
  browser ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  return browser;
}

/** Closes the Chromium of this file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** Opens the console like somebody who comes for the first time, or with a client. Fails the test at an error in the page. */
export async function visit(t: TestContext, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { path = '/', client, trainer, width = 1280, theme = 'light', javaScript = true } = options;
  const context = await (await launched()).newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    javaScriptEnabled: javaScript,
    // Of a class authority, which nobody has told the browser of.
    ignoreHTTPSErrors: url.startsWith('https:'),
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // A refusal is no error of the page, though the browser logs it as one.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  if (client) {
    const value = JSON.stringify({ clientId: client.id, clientSecret: client.secret });
    await context.addInitScript((stored) => localStorage.setItem('lplate.client', stored), value);
  }
  if (trainer) await context.addInitScript((token) => sessionStorage.setItem('lplate.trainer', token), trainer);
  await page.goto(`${url}/#${path}`);
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, []);
  });
  return { page, context, errors };
}

/** Waits until a page has its title and what it loads. */
export async function settled(page: Page): Promise<void> {
  // Where only the part after # is another one, the page before stands there until the event of that was heard.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  try {
    await page.waitForFunction(() => !/^Loading …$|^\d+ of \d+ loaded$/m.test(document.body.innerText));
  } catch (cause) {
    throw new Error(`${page.url()} still loads: ${await page.locator('main').innerText()}`, { cause });
  }
}
