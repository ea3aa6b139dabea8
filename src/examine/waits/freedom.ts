import { wayOf } from '../../text/json-pointer.ts';
import type { Difference, Exchange } from '../difference.ts';
import { type Answer, type Names, parsed } from '../side.ts';

/* What a step leaves open of its answer, and what it does not want to see in it. */

/** Both answers without some members. */
export function without(places: readonly string[] | undefined, { reference, yours }: Exchange): Exchange {
  if (!places || 'failure' in yours.answer) return { reference, yours };
  const open = (answer: Answer): Answer => {
    const body = parsed(answer.body);
    return body === undefined ? answer : { ...answer, body: JSON.stringify(less(body, places)) };
  };
  return {
    reference: { ...reference, answer: open(reference.answer) },
    yours: { ...yours, answer: open(yours.answer) },
  };
}

/** A value of JSON, which loses some members. */
export function less(value: unknown, places: readonly string[]): unknown {
  for (const place of places) {
    const way = wayOf(place);
    let owner = value;
    for (const name of way.slice(0, -1)) owner = (owner as Record<string, unknown> | null | undefined)?.[name];
    if (typeof owner === 'object' && owner !== null) delete (owner as Record<string, unknown>)[way.at(-1) ?? ''];
  }
  return value;
}

/** That an answer has what is not shown again. */
export function hidden(names: readonly string[] | undefined, answer: Answer, given: Names): Difference | undefined {
  const shown = names?.find((name) => answer.body.includes(given.get(name) ?? ' '));
  if (shown === undefined) return undefined;
  return {
    place: 'body',
    says: `The answer of your service has the ${shown} that an answer before gave: it is shown once.`,
  };
}
