import { coverageOptions, type HeldPolicy, isInForce, type Policy } from '../../../insurer/index.ts';
import { createPolicy } from '../calls.ts';
import { type Entry, jsonOf } from '../entry.ts';
import { type Capstone, drill, type Fault, idsOf, isTextMap } from './capstone.ts';

interface Order {
  readonly holder: string;
  readonly coverageOption: Policy['coverageOption'];
}

interface Given {
  readonly orders: readonly Order[];
}

interface Report {
  readonly policies: Readonly<Record<string, string>>;
}

/** How many policies are to be created. */
const count = 15;

const seconds = 180;

export const badLine: Capstone<Given, Report> = {
  id: 'bad-line',
  title: 'The bad line',
  goal: 'You get 15 orders, each with a holder and a coverage option. Create exactly one policy for each, for vehicles that you choose: any registration number that nobody has insured. The line loses answers, so a call that failed may have done its work. Then report the id of each policy.',
  why: 'A create whose answer was lost is the most expensive doubt of an integration: repeated, it may be there twice; not repeated, not at all.',
  conditions: [
    'A quarter of your connections is cut, at first in the middle of the answer, when the work is done, and later before it.',
    'Some answers are a page in HTML from a proxy, or no JSON. The work is done then.',
    'Requests for a token are hit too.',
  ],
  report: 'An object: `policies` has the id of the policy of each order, by its holder.',
  example: {
    given: { orders: [{ holder: 'Branch 1-01', coverageOption: 'MTPL-1M' }] },
    report: { policies: { 'Branch 1-01': 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f' } },
  },
  sections: ['Endpoints, 4', 'Endpoints, rule 1', 'Errors', 'The range'],
  buildsOn: [],
  seconds,
  reportFrom: 0,
  schedule: [
    drill(
      [0, seconds],
      'html-from-a-proxy',
      { share: 0.15, when: 'after', seed: 7 },
      'Some answers are HTML from a proxy.',
    ),
    drill([0, seconds], 'bad-json', { share: 0.15, seed: 8 }, 'Some answers are no JSON.'),
    drill(
      [0, 20],
      'cut-connections',
      { share: 0.25, when: 'middle', seed: 9 },
      'A quarter of the connections is cut in the middle of the answer.',
    ),
    drill(
      [20, seconds],
      'cut-connections',
      { share: 0.25, when: 'before', seed: 9 },
      'A quarter of the connections is cut before the answer.',
    ),
  ],
  crash: { at: 10, calls: 20 },

  async prepare({ number }) {
    const orders = Array.from({ length: count }, (_, at) => ({
      holder: `Branch ${number}-${String(at + 1).padStart(2, '0')}`,
      coverageOption: (coverageOptions[at % coverageOptions.length] as (typeof coverageOptions)[number]).code,
    }));
    return { given: { orders } };
  },

  shapeFault(report) {
    if (isTextMap((report as Partial<Report> | null)?.policies, 1000)) return undefined;
    return 'The report is an object with the member policies, which has an id for each holder: {"policies":{"Branch 1-01":"pol-…"}}.';
  },

  faults({ policies: reported }, { given }, { policies, entries }) {
    const inForce = policies.filter(isInForce);
    const holders = new Set(given.orders.map(({ holder }) => holder));
    const orders = given.orders.flatMap((order) => {
      const wrong = orderFault(
        order,
        inForce.filter(({ holder }) => holder === order.holder),
        reported[order.holder],
      );
      return wrong ? [{ ...wrong, subject: order.holder, exchanges: createsOf(entries, order.holder) }] : [];
    });
    const extra = inForce.filter(({ holder }) => holder === null || !holders.has(holder));
    return [
      ...orders,
      ...extra.map(({ id: subject, holder }) => {
        const detail = `No order has its holder: ${holder ?? 'none'}.`;
        return { kind: 'extra' as const, subject, detail, exchanges: createsOf(entries, holder) };
      }),
    ];
  },

  parts: ({ given }) => given.orders.length,
};

/** `made`: the policies in force that have its holder. */
function orderFault(
  { coverageOption }: Order,
  made: readonly HeldPolicy[],
  reported: string | undefined,
): Pick<Fault, 'kind' | 'detail'> | undefined {
  const [policy] = made;
  if (!policy) return { kind: 'missing', detail: 'No policy in force has this holder.' };
  if (made.length > 1) return { kind: 'doubled', detail: `${made.length} policies in force have this holder.` };
  if (policy.coverageOption !== coverageOption)
    return { kind: 'wrong', detail: `Its coverage option is ${policy.coverageOption}, not ${coverageOption}.` };
  if (reported === policy.id) return undefined;
  return { kind: 'wrong-report', detail: 'There is one policy, and your report has another id for it, or none.' };
}

function createsOf(entries: readonly Entry[], holder: string | null): string[] {
  return idsOf(entries, ({ call, sent }) => call === createPolicy && (jsonOf(sent)?.holder ?? null) === holder);
}
