import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lessonsOf } from '../../src/range/lessons/lesson.ts';
import { topics } from '../../src/range/lessons/topics/index.ts';

/** The guide, whose end is made from the lessons. */
export const guide = join(import.meta.dirname, '../../docs/lessons.md');

const begin = '<!-- From here on made by `UPDATE=1 npm test -- test/range/lessons/guide.test.ts`. -->';

/** What the interface specification says, section by section. Each is practised by a lesson. */
export const sections: readonly string[] = [
  ...['Demo client', 'Coverage option', 'Token response', 'Policy', 'Vehicle data (legacy SOAP)', 'Claim'],
  ...['States and transitions, Policy', 'States and transitions, Claim'],
  ...numbered('Endpoints, ', 11),
  ...numbered('Endpoints, rule ', 6),
  ...['Legacy SOAP operation', 'Claims interface'],
  ...numbered('Authentication, ', 9),
  'Payload',
  ...numbered('Events, delivery rule ', 4),
  ...numbered('Errors, ', 2),
  ...['Limits, General rate', 'Limits, Probe rate', 'Limits, Token lifetime', 'Limits, Active policies per vehicle'],
  // Not the idle lifetime of credentials: a day without use can't be had by calls.
  ...['Limits, Event retention', 'Versioning', 'The range'],
];

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}${at + 1}`);
}

/** The lessons of each section. */
export function bySection(): ReadonlyMap<string, readonly string[]> {
  const lessons = lessonsOf(topics);
  return new Map(
    sections.map((section) => [section, lessons.filter((each) => each.sections.includes(section)).map(({ id }) => id)]),
  );
}

const certified = ', where the service asks for [client certificates](operations.md#client-certificates-an-exercise)';

/** The guide with the lists that the lessons give today. */
export async function madeGuide(): Promise<string> {
  const text = await readFile(guide, 'utf8');
  const [written = ''] = text.split(begin, 1);
  const lists = topics.map(({ title, lessons }) => {
    const rows = lessons.map(
      ({ id, title: what, level, asks, needsCertificate }) =>
        `| \`${id}\` | ${what} | ${level} | ${asks ? 'an answer' : 'calls'}${needsCertificate ? certified : ''} |`,
    );
    return `### ${title}\n\n| id | lesson | level | solved by |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  const rows = [...bySection()].map(([section, ids]) => `| ${section} | ${ids.map((id) => `\`${id}\``).join(', ')} |`);
  const table = `| section | lessons |\n| --- | --- |\n${rows.join('\n')}\n`;
  return `${written}${begin}\n\n## The path\n\n${lists.join('\n')}\n## What each section of the specification is practised by\n\n${table}`;
}

export async function writeGuide(): Promise<void> {
  await writeFile(guide, await madeGuide());
}
