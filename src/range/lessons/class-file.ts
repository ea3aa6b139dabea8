import { Ajv, type ErrorObject } from 'ajv';
import Type, { type Static } from 'typebox';
import { excerpt } from '../../excerpt.ts';
import { nearName } from '../../http/near-name.ts';
import { StartupError } from '../../startup-error.ts';
import { Catalogue, type PlacedLesson } from './lesson.ts';
import { OwnLesson, type OwnLessonData, ownLesson } from './own-lesson.ts';

/*
 * The file that `LESSONS` names: which lessons a class has, in which order, and lessons of its own. What is wrong with it is
 * said at the start. `contracts/lessons.schema.json` is its schema, for editors.
 */

export const ClassFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Where this schema is, for editors.' })),
    path: Type.Optional(
      Type.Array(
        Type.Union([
          Type.String({ description: 'The id of a lesson.' }),
          Type.Object(
            { topic: Type.String({ description: 'The id of a topic: all of its lessons.' }) },
            { additionalProperties: false },
          ),
        ]),
        {
          minItems: 1,
          description: 'The lessons in their order. By default all that there are, then those of your own.',
        },
      ),
    ),
    own: Type.Optional(Type.Array(OwnLesson, { maxItems: 100, description: 'Lessons of your own.' })),
  },
  {
    additionalProperties: false,
    title: 'The lessons of a class',
    description: 'A file for the setting LESSONS of L-Plate.',
  },
);

export type ClassFileData = Static<typeof ClassFile>;

const ownTopic = 'Lessons of this class';

/**
 * The lessons that a file chooses from `all`, and adds. None of them can have an id of a capstone.
 *
 * @throws {StartupError} saying all that can't be used in the file
 */
export function catalogueOf(file: object, all: readonly PlacedLesson[], capstones: readonly string[] = []): Catalogue {
  const validate = new Ajv({ strict: false, allErrors: true, verbose: true }).compile<ClassFileData>(ClassFile);
  if (!validate(file)) throw refusal((validate.errors ?? []).filter(isTold).map((error) => told(error, file)));
  const { path, own = [] } = file;
  const mine = own.map((lesson) => placedOwn(lesson, all));
  const known = [...all, ...mine];
  const faults = [
    ...mine.flatMap((lesson, index) => {
      const taken = [...capstones, ...known.map(({ id }) => id).filter((_, at) => at !== all.length + index)];
      return taken.includes(lesson.id) ? [`/own has the id ${lesson.id}, which another lesson or a capstone has`] : [];
    }),
    ...mine.flatMap(({ id, buildsOn }) =>
      buildsOn
        .filter((each) => !known.some((lesson) => lesson.id === each))
        .map(
          (each) =>
            `the lesson ${id} builds on ${each}, which does not exist${meant(
              each,
              known.map((one) => one.id),
            )}`,
        ),
    ),
  ];
  const lessons = path ? chosen(path, known, capstones, faults) : known;
  const left = path ? mine.filter((lesson) => !lessons.includes(lesson)) : [];
  for (const { id } of left) faults.push(`the own lesson ${id} is not in /path, so nobody would see it`);
  if (faults.length > 0) throw refusal(faults);
  return new Catalogue(lessons);
}

function placedOwn(data: OwnLessonData, all: readonly PlacedLesson[]): PlacedLesson {
  const { topic: title = ownTopic, ...lesson } = data;
  const topic = all.find(({ topic }) => topic.title === title)?.topic ?? { id: 'own', title };
  return { ...ownLesson(lesson), topic };
}

function chosen(
  path: NonNullable<ClassFileData['path']>,
  known: readonly PlacedLesson[],
  capstones: readonly string[],
  faults: string[],
): PlacedLesson[] {
  const lessons = path.flatMap((entry) => {
    const isMeant = ({ id, topic }: PlacedLesson) =>
      typeof entry === 'string' ? id === entry : topic.id === entry.topic;
    const found = known.filter(isMeant);
    if (found.length === 0) faults.push(notFound(entry, known, capstones));
    return found;
  });
  const twice = lessons.find((lesson, index) => lessons.indexOf(lesson) !== index);
  if (twice) faults.push(`/path has the lesson ${twice.id} twice`);
  return lessons;
}

function notFound(
  entry: string | { readonly topic: string },
  known: readonly PlacedLesson[],
  capstones: readonly string[],
): string {
  if (typeof entry === 'string') {
    if (capstones.includes(entry)) return `/path has ${entry}, which is a capstone: those are always there`;
    return `/path has the lesson ${entry}, which does not exist${meant(
      entry,
      known.map(({ id }) => id),
    )}`;
  }
  const topics = [...new Set(known.map(({ topic }) => topic.id))];
  return `/path has the topic ${entry.topic}, which does not exist: there are ${topics.join(', ')}`;
}

/** What a name that is not known may mean, as the end of a sentence. */
function meant(name: string, names: readonly string[]): string {
  const near = nearName(name, names);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

/** Of a value that may be of two kinds, one error is told, not one for each kind. */
function isTold({ schemaPath }: ErrorObject): boolean {
  return !/\/anyOf\/\d/.test(schemaPath);
}

function told({ keyword, instancePath, params, message, parentSchema }: ErrorObject, file: object): string {
  const place = placeOf(instancePath, file);
  if (keyword === 'required') return `${place} must have the member ${params.missingProperty}`;
  if (keyword === 'additionalProperties') {
    const names = Object.keys(parentSchema?.properties ?? {});
    const extra = params.additionalProperty;
    const near = nearName(extra, names);
    return `${place} must not have the member ${extra}${near ? `: did you mean ${near}?` : `: it can have ${names.join(', ')}`}`;
  }
  const expected = parentSchema?.description ? `: ${parentSchema.description}` : '';
  return `${place} ${message}${expected.replace(/\.$/, '')}`;
}

/** Where in the file, with the id of the lesson, if it has one. */
function placeOf(path: string, file: object): string {
  const [, index] = /^\/own\/(\d+)/.exec(path) ?? [];
  const id = index && (file as ClassFileData).own?.[Number(index)]?.id;
  return `${path || '/'}${typeof id === 'string' ? ` (the lesson ${excerpt(id)})` : ''}`;
}

/** Faults that are told at once. */
const mostTold = 20;

/** On one line, as all that can stop the start. */
export function refusal(faults: readonly string[]): StartupError {
  const more = faults.length > mostTold ? [`and ${faults.length - mostTold} more`] : [];
  const all = [...faults.slice(0, mostTold), ...more];
  const text = all.length === 1 ? String(all[0]) : all.map((fault, at) => `(${at + 1}) ${fault}`).join('; ');
  return new StartupError(2, `LESSONS: ${text}${text.endsWith('?') ? '' : '.'}`);
}
