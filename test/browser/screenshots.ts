import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TestClock } from '../support/clock.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate, testSecrets } from '../support/lplate.ts';
import { closeBrowser, settled, visit } from './support/browser.ts';
import { makeScene, pagesOf, startWithAuthority } from './support/scene.ts';

/*
 * npm run screenshots: a picture of each page of the console in screenshots/, which git ignores, light and dark, wide and
 * narrow. Those that a document shows are copied to docs/images/ by hand. It needs Chromium. With FORMAT=png they are
 * written as PNG; ONLY names pages, with commas between them, and leaves the pictures of the others.
 */

const format = process.env.FORMAT === 'png' ? 'png' : 'webp';
const folder = join(import.meta.dirname, '../../screenshots');
const only = process.env.ONLY?.split(',');
const sizes = { wide: [1280, 800], narrow: [360, 740] } as const;

/** Time that stands still, so that all pictures are of one moment; but what is measured took its time. */
class PictureClock extends TestClock {
  override elapsed(): number {
    return super.elapsed() + performance.now();
  }
}

onSqlite((engine) => {
  after(closeBrowser);
  test('every page has its pictures', { timeout: 600_000 }, async (t) => {
    const lplate = await startLPlate(engine, { rateLimitPerMinute: 600 }, new PictureClock(new Date().toISOString()));
    const secure = await startWithAuthority(engine);
    const scene = await makeScene(t, lplate);
    if (!only) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    for (const theme of ['light', 'dark'] as const) {
      for (const [size, [width, height]] of Object.entries(sizes)) {
        for (const { name, path, as, at, few } of pagesOf(scene)) {
          if (only && !only.includes(name)) continue;
          if (few && !only && theme !== (size === 'wide' ? 'light' : 'dark')) continue;
          const { url } = at === 'https' ? secure : lplate;
          const { page, context } = await visit(t, url, {
            theme,
            width,
            ...(as === 'learner' && { client: scene.learner }),
            ...(as === 'trainer' && { trainer: testSecrets.trainerToken }),
          });
          await page.setViewportSize({ width, height });
          await page.goto(url + path);
          await settled(page);
          const debug = await context.newCDPSession(page);
          const { data } = await debug.send('Page.captureScreenshot', {
            format,
            ...(format === 'webp' && { quality: 80 }),
          });
          await writeFile(join(folder, `${name}-${size}-${theme}.${format}`), Buffer.from(data, 'base64'));
          await context.close();
        }
      }
    }
    await Promise.all([lplate.close(), secure.close()]);
  });
});
