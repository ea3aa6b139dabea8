import type { Lesson } from '../../api/types.ts';

/** What somebody typed, as it is sent; or why it can't be. */
export type Typed = { readonly value: unknown } | { readonly fault: string };

/**
 * The answer to a question: a number, a list or an object where it asks for one, else the text without the space
 * around it.
 */
export function answerOf(typed: string, type: Lesson['answerType']): Typed {
  const text = typed.trim();
  if (text === '') return { fault: 'There is no answer yet.' };
  if (type === 'json' && /^[[{]/.test(text)) return jsonOf(text);
  if (type === 'number' && /^\d+$/.test(text)) return { value: Number(text) };
  return { value: text };
}

/** The value of a JSON text; or what is wrong with it, with the place as far as the browser tells it. */
export function jsonOf(text: string): Typed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `This is not JSON yet: ${(error as Error).message}` };
  }
}

/** A report to start from, for what a run of a capstone was given. It has its form, and not the answers. */
export function reportDraft(given: Readonly<Record<string, unknown>>): string {
  const { claims, orders, newHolder, people, rows, nights } = given;
  if (Array.isArray(nights))
    return pretty({ policies: { 'pol-…': '…Z active' }, statement: { id: 'stm-…', premiums: { 'MTPL-1M': '…' } } });
  if (Array.isArray(rows)) {
    const byVehicle = (value: string) => Object.fromEntries(rows.map(({ regNumber }) => [regNumber, value]));
    return pretty({ policies: byVehicle('pol-…'), makes: byVehicle('…'), refused: ['…'], events: ['…'] });
  }
  if (Array.isArray(people))
    return pretty({
      policies: Object.fromEntries(people.map(({ userName }) => [userName, ['pol-…']])),
      refused: ['…'],
    });
  if (Array.isArray(claims))
    return pretty({ claims: Object.fromEntries(claims.map((id) => [id, '…'])), events: ['…'] });
  if (Array.isArray(orders))
    return pretty({ policies: Object.fromEntries(orders.map(({ holder }) => [holder, 'pol-…'])) });
  return pretty(newHolder === undefined ? {} : { updated: ['pol-…'] });
}

export const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);
