// node site/scores.js URL…: what keeps a page from Lighthouse's 100 of 100 on a phone, as JSON; CHROME_PATH has a Chromium.
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const chrome = await launch({ chromeFlags: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'] });
const found = {};
try {
  for (const url of process.argv.slice(2)) {
    const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: 'error' });
    const lacking = Object.values(lhr.categories).filter(({ score }) => score !== 1);
    found[url] = lacking.map(({ id, score, auditRefs }) => ({
      id,
      score,
      audits: auditRefs
        .filter((audit) => audit.weight > 0 && lhr.audits[audit.id].score < 1)
        .map((audit) => `${audit.id}: ${lhr.audits[audit.id].displayValue ?? ''}`),
    }));
  }
} finally {
  chrome.kill();
}
console.log(JSON.stringify(found, null, 2));
