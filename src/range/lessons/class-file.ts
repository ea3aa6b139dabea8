import { Ajv, type ErrorObject } from 'ajv';
import Type, { type Static } from 'typebox';
import { nearName } from '../../http/near-name.ts';
import { StartupError } from '../../settings/startup-error.ts';
import { excerpt } from '../../text/excerpt.ts';
import { Catalogue, type LessonInTopic } from './lesson.ts';
import { lessonFaults } from './own-calls.ts';
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
        Type.Union(
          [
            Type.String({ description: 'The id of a lesson.' }),
            Type.Object(
              { topic: Type.String({ description: 'The id of a topic: all of its lessons.' }) },
              { additionalProperties: false },
            ),
          ],
          { description: 'The id of a lesson, or a topic such as {"topic":"policies"}.' },
        ),
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

/** A file of lessons that was read. */
export interface ReadClassFile {
  readonly catalogue: Catalogue;
  /** All that can't be used in the file, without what the calls of its own lessons are. */
  readonly faults: readonly string[];
  /** Those of its own lessons whose calls have the right form. */
  readonly withCalls: readonly Pick<OwnLessonData, 'id' | 'calls'>[];
}

/** The lessons that a file chooses from `all`, and adds. None of them can have an id of a capstone. */
export function readClassFile(
  file: object,
  all: readonly LessonInTopic[],
  capstones: readonly string[] = [],
): ReadClassFile {
  const { faults, path, own, broken, withCalls } = checkForm(file);
  faults.push(...own.flatMap(lessonFaults));
  const mine = own.map((lesson) => ownLessonInTopic(lesson, all));
  const known = [...all, ...mine];
  // Those that are told already are no reason to tell that they are missing.
  const ids = [...known.map(({ id }) => id), ...broken];
  for (const [index, { id, buildsOn }] of mine.entries()) {
    const others = [...capstones, ...ids.filter((_, at) => at !== all.length + index)];
    if (others.includes(id)) faults.push(`/own has the id ${id}, which another lesson or a capstone has`);
    for (const each of buildsOn.filter((each) => !ids.includes(each)))
      faults.push(`the lesson ${id} builds on ${each}, which does not exist${didYouMean(each, ids)}`);
  }
  faults.push(...circles(mine).map((circle) => `the lessons ${circle.join(', ')} build on each other in a circle`));
  if (!path) return { catalogue: new Catalogue(known), faults, withCalls };
  const lessons = chosen(path, known, { capstones, broken, faults });
  const left = mine.filter((lesson) => !lessons.includes(lesson));
  for (const { id } of left) faults.push(`the own lesson ${id} is not in /path, so nobody would see it`);
  return { catalogue: new Catalogue(lessons), faults, withCalls };
}

interface CheckedForm extends Pick<ReadClassFile, 'withCalls'> {
  readonly faults: string[];
  /** The parts of the file that have the right form. */
  readonly path: ClassFileData['path'];
  readonly own: readonly OwnLessonData[];
  /** The ids of its own lessons that have not. */
  readonly broken: readonly string[];
}

/** Takes out what has not the form of the schema, so that all the rest can be checked as well. */
function checkForm(file: object): CheckedForm {
  const validate = new Ajv({ strict: false, allErrors: true, verbose: true }).compile<ClassFileData>(ClassFile);
  if (validate(file)) {
    const { path, own = [] } = file;
    return { faults: [], path, own, broken: [], withCalls: own };
  }
  const errors = validate.errors ?? [];
  const faults = errors.filter(isTold).map((error) => told(error, file));
  const fits = (place: string) => !errors.some(({ instancePath }) => `${instancePath}/`.startsWith(`${place}/`));
  const listed = (name: 'path' | 'own'): readonly unknown[] => {
    const list = (file as Record<string, unknown>)[name];
    return Array.isArray(list) ? list : [];
  };
  const own = listed('own') as readonly OwnLessonData[];
  const path = listed('path').filter((_, index) => fits(`/path/${index}`)) as NonNullable<ClassFileData['path']>;
  return {
    faults,
    path: path.length > 0 ? path : undefined,
    own: own.filter((_, index) => fits(`/own/${index}`)),
    broken: own.filter((_, index) => !fits(`/own/${index}`)).map((lesson) => String(lesson?.id)),
    withCalls: own.filter((lesson, index) => Array.isArray(lesson?.calls) && fits(`/own/${index}/calls`)),
  };
}

function ownLessonInTopic(data: OwnLessonData, all: readonly LessonInTopic[]): LessonInTopic {
  const { topic: title = ownTopic, ...lesson } = data;
  const topic = all.find(({ topic }) => topic.title === title)?.topic ?? { id: 'own', title };
  return { ...ownLesson(lesson), topic, own: true };
}

/** Lessons that build on themselves, by way of the others in their list: each circle once. */
function circles(lessons: readonly LessonInTopic[]): string[][] {
  const byId = new Map(lessons.map((lesson) => [lesson.id, lesson.buildsOn]));
  const before = new Map(lessons.map(({ id }) => [id, allBefore(id, byId)]));
  const inOne = lessons.map(({ id }) => id).filter((id) => before.get(id)?.has(id));
  const together = (id: string) => inOne.filter((each) => before.get(id)?.has(each) && before.get(each)?.has(id));
  return [...Map.groupBy(inOne, (id) => together(id).join()).values()];
}

/** What comes before a lesson, directly or not. */
function allBefore(id: string, byId: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(byId.get(id));
  // A set goes on with what is added meanwhile.
  for (const each of found) for (const earlier of byId.get(each) ?? []) found.add(earlier);
  return found;
}

function chosen(
  path: NonNullable<ClassFileData['path']>,
  known: readonly LessonInTopic[],
  { capstones, broken, faults }: Pick<CheckedForm, 'broken' | 'faults'> & { readonly capstones: readonly string[] },
): LessonInTopic[] {
  const lessons = path.flatMap((entry) => {
    const fits = ({ id, topic }: LessonInTopic) =>
      typeof entry === 'string' ? id === entry : topic.id === entry.topic;
    const found = known.filter(fits);
    if (found.length === 0 && !(typeof entry === 'string' && broken.includes(entry)))
      faults.push(notFound(entry, known, capstones));
    return found;
  });
  const twice = new Set(lessons.filter((lesson, index) => lessons.indexOf(lesson) !== index));
  for (const { id } of twice) faults.push(`/path has the lesson ${id} twice`);
  return lessons;
}

function notFound(
  entry: string | { readonly topic: string },
  known: readonly LessonInTopic[],
  capstones: readonly string[],
): string {
  if (typeof entry === 'string') {
    if (capstones.includes(entry)) return `/path has ${entry}, which is a capstone: those are always there`;
    return `/path has the lesson ${entry}, which does not exist${didYouMean(
      entry,
      known.map(({ id }) => id),
    )}`;
  }
  const topics = [...new Set(known.map(({ topic }) => topic.id))];
  return `/path has the topic ${entry.topic}, which does not exist: there are ${topics.join(', ')}`;
}

/** Suggests a known name that is near, as the end of a sentence. */
function didYouMean(name: string, names: readonly string[]): string {
  const near = nearName(name, names);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

/** Of a value that may be of two kinds, one error is told, not one for each kind. */
function isTold({ schemaPath }: ErrorObject): boolean {
  return !/\/anyOf\/\d/.test(schemaPath);
}

function told({ keyword, instancePath, params, message, parentSchema }: ErrorObject, file: object): string {
  const place = placeOf(instancePath, file);
  const expected = (parentSchema?.description ?? '').replace(/\.$/, '');
  if (keyword === 'required') return `${place} must have the member ${params.missingProperty}`;
  if (keyword === 'additionalProperties') {
    const names = Object.keys(parentSchema?.properties ?? {});
    const extra = params.additionalProperty;
    if (parentSchema?.patternProperties) return `${place} must not have the name ${excerpt(extra)}: ${expected}`;
    const near = nearName(extra, names);
    return `${place} must not have the member ${extra}${near ? `: did you mean ${near}?` : `: it can have ${names.join(', ')}`}`;
  }
  if (keyword === 'anyOf') return `${place} must be ${expected.charAt(0).toLowerCase()}${expected.slice(1)}`;
  return `${place} ${message}${expected && `: ${expected}`}`;
}

/** Where in the file, with the id of the lesson, if it has one. */
function placeOf(path: string, file: object): string {
  const [, index] = /^\/own\/(\d+)/.exec(path) ?? [];
  const id = index && (file as ClassFileData).own?.[Number(index)]?.id;
  return `${path || '/'}${typeof id === 'string' ? ` (the lesson ${excerpt(id)})` : ''}`;
}

/** A file of lessons that can't be used. */
export class ClassFileRefused extends StartupError {
  /** Each a sentence without its full stop. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(2, onOneLine(faults));
    this.faults = faults;
  }
}

/** Faults that are told at once. */
const maxTold = 20;

/** As all that can stop the start is told. */
function onOneLine(faults: readonly string[]): string {
  const more = faults.length > maxTold ? [`and ${faults.length - maxTold} more`] : [];
  const all = [...faults.slice(0, maxTold), ...more];
  const text = all.length === 1 ? String(all[0]) : all.map((fault, at) => `(${at + 1}) ${fault}`).join('; ');
  return `LESSONS: ${text}${text.endsWith('?') ? '' : '.'}`;
}
