import { readdir, readFile } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import { remember } from '../../remember.ts';
import { enumeration } from '../../text/enumeration.ts';
import { examplesFolder } from '../examples-folder.ts';

/*
 * The code of lessons: parts of the example programs, which tests run. A comment `lesson: ID` begins a part; with several
 * ids it is a part of each. It ends at the next such comment, or at a comment `end`.
 */

/** The program of each language: one file, or a folder of them. */
const programs = {
  JavaScript: 'path/',
  Python: 'walk_the_path.py',
  Java: 'WalkThePath.java',
  curl: 'walk-the-path.sh',
} as const;

export type Language = keyof typeof programs;

export const languages = Object.keys(programs) as Language[];

const language = enumeration('CodeLanguage', languages, 'A language. curl is for bash.');

export const LessonCode = Type.Object(
  {
    language: language('The language.', 'JavaScript'),
    file: Type.String({
      description: 'The program that it is a part of, in L-Plate’s repository.',
      examples: ['examples/path/learner.js'],
    }),
    text: Type.String({
      description: 'The code.',
      examples: ["const { json: credentials } = await call('POST', '/insurer/v1/demo-clients');"],
    }),
  },
  { $id: 'LessonCode', description: 'How a lesson is solved in a language.' },
);

/** How a lesson is solved in a language. */
export type CodePart = Static<typeof LessonCode>;

const mark = /^ *(?:\/\/|#) (?:lesson: (.+)|end)$/;

/** The parts by lesson, each language once. The programs are read when this is first called. */
export const codeParts = remember(async (): Promise<ReadonlyMap<string, readonly CodePart[]>> => {
  const found = new Map<string, CodePart[]>();
  for (const language of languages) {
    for (const name of await filesOf(programs[language])) {
      const file = `examples/${name}`;
      for (const [lesson, text] of partsIn(await readFile(new URL(name, examplesFolder), 'utf8'))) {
        const parts = found.get(lesson) ?? [];
        if (parts.some((part) => part.language === language)) throw new Error(`${lesson} has two files in ${language}`);
        found.set(lesson, [...parts, { language, file, text }]);
      }
    }
  }
  return found;
});

async function filesOf(program: string): Promise<string[]> {
  if (!program.endsWith('/')) return [program];
  return (await readdir(new URL(program, examplesFolder))).map((name) => program + name);
}

/** The parts of a program by lesson. Several of one lesson follow each other. */
function partsIn(program: string): Map<string, string> {
  const parts = new Map<string, string[][]>();
  let begun: string[][] = [];
  for (const line of program.split(/\r?\n/)) {
    const marked = mark.exec(line);
    if (marked) {
      begun = (marked[1]?.split(', ') ?? []).map((lesson) => {
        const lines: string[] = [];
        parts.set(lesson, [...(parts.get(lesson) ?? []), lines]);
        return lines;
      });
    } else {
      for (const lines of begun) lines.push(line);
    }
  }
  return new Map([...parts].map(([lesson, each]) => [lesson, each.map(withoutIndent).join('\n\n')]));
}

function withoutIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/));
  const least = Math.min(...indents);
  return lines
    .map((line) => line.slice(least))
    .join('\n')
    .trim();
}
