import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe has to say: the page, the rule and the elements. */
export async function violations(page: Page, name: string): Promise<string[]> {
  // Scalar's own faults are not ours: what stands around it is looked at.
  const part = name === 'reference' ? '.top, .nav' : 'html';
  // By the debugger, since the policy of the page lets no foreign script in.
  await page.evaluate(await readFile(axe, 'utf8'));
  const found = await page.evaluate(async (include) => {
    // biome-ignore lint/suspicious/noExplicitAny: the page has it now
    const { violations } = await (window as any).axe.run({ include: [include] }, { resultTypes: ['violations'] });
    return violations.map((each: { id: string; nodes: { target: string[]; failureSummary: string }[] }) => ({
      id: each.id,
      nodes: each.nodes.map(
        ({ target, failureSummary }) => `${target.join(' ')} (${failureSummary.replaceAll(/\s+/g, ' ')})`,
      ),
    }));
  }, part);
  return found.map(
    ({ id, nodes }: { id: string; nodes: string[] }) => `${name}: ${id}: ${nodes.slice(0, 3).join('; ')}`,
  );
}
