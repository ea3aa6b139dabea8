import { Ajv, type ErrorObject } from 'ajv';
import Type, { type Static } from 'typebox';
import { nearName } from '../../http/requests/near-name.ts';
import { StartupError } from '../../settings/startup-error.ts';
import { excerpt } from '../../text/excerpt.ts';
import { wayOf } from '../../text/json-pointer.ts';
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
  /** Its own lessons, without what has not the right form. */
  readonly own: readonly OwnLessonData[];
}

/** Ids that no lesson of a file can have. */
interface Taken {
  readonly capstones?: readonly string[];
  /** Of lessons that need client certificates, where the service asks for none. */
  readonly lacking?: readonly string[];
}

/** The lessons that a file chooses from `all`, and adds. */
export function readClassFile(
  file: object,
  all: readonly LessonInTopic[],
  { capstones = [], lacking = [] }: Taken = {},
): ReadClassFile {
  const { faults, path, own } = checkForm(file);
  faults.push(...own.flatMap(lessonFaults));
  const mine = own.map((lesson) => ownLessonInTopic(lesson, all));
  const known = [...all, ...mine];
  const ids = known.map(({ id }) => id);
  for (const [index, { id, buildsOn }] of mine.entries()) {
    const earlier = [...capstones, ...lacking, ...ids.slice(0, all.length + index)];
    if (earlier.includes(id)) faults.push(`/own has the id ${id}, which another lesson or a capstone has`);
    for (const each of buildsOn.filter((each) => !ids.includes(each)))
      faults.push(`the lesson ${id} builds on ${each}, ${whyNot(each, ids, lacking)}`);
  }
  faults.push(...circles(mine).map((circle) => `the lessons ${circle.join(', ')} build on each other in a circle`));
  if (!path) return { catalogue: new Catalogue(known), faults, own };
  const lessons = chosen(path, known, { capstones, lacking, faults });
  const left = mine.filter((lesson) => !lessons.includes(lesson));
  for (const { id } of left) faults.push(`the own lesson ${id} is not in /path, so nobody would see it`);
  return { catalogue: new Catalogue(lessons), faults, own };
}

interface CheckedForm {
  readonly faults: string[];
  readonly path: ClassFileData['path'];
  readonly own: readonly OwnLessonData[];
}

/** Takes out what has not the form of the schema, so that all the rest can be checked as well. */
function checkForm(file: object): CheckedForm {
  const validate = new Ajv({ strict: false, allErrors: true, verbose: true }).compile<ClassFileData>(ClassFile);
  if (validate(file)) return { faults: [], path: file.path, own: file.own ?? [] };
  const errors = validate.errors ?? [];
  const rest: { path?: ClassFileData['path']; own?: (OwnLessonData | undefined)[] } = structuredClone(file);
  for (const error of errors) takeOut(rest, error);
  const path = rest.path?.filter((entry) => entry !== undefined);
  return {
    faults: errors.filter(isTold).map((error) => told(error, file)),
    path: path?.length ? path : undefined,
    own: (rest.own ?? []).flatMap((lesson, at) => filled(lesson, (file as ClassFileData).own?.[at])),
  };
}

/** Takes a value out that is not of its form, or a member that an object must not have. Others keep their place. */
function takeOut(file: object, { keyword, instancePath, params }: ErrorObject): void {
  if (/^(?:required|(?:min|max)(?:Items|Properties))$/.test(keyword)) return;
  const path = wayOf(instancePath);
  const last = keyword === 'additionalProperties' ? params.additionalProperty : path.pop();
  let parent: unknown = file;
  for (const name of path) parent = (parent as Record<string, unknown> | undefined)?.[name];
  if (parent !== undefined) delete (parent as Record<string, unknown>)[last];
}

/** A lesson from which things were taken out, with something in place of what it must have; none without an id. */
function filled(lesson: OwnLessonData | undefined, { calls, asks }: Partial<OwnLessonData> = {}): OwnLessonData[] {
  if (typeof lesson?.id !== 'string') return [];
  const left = lesson.calls ?? (calls === undefined && asks === undefined ? undefined : [{}]);
  return [{ ...lesson, title: '', goal: '', why: '', ...(left && { calls: Array.from(left, (call) => call ?? {}) }) }];
}

function ownLessonInTopic(data: OwnLessonData, all: readonly LessonInTopic[]): LessonInTopic {
  const { topic: title = ownTopic, ...lesson } = data;
  const topic = all.find(({ topic }) => topic.title === title)?.topic ?? { id: 'own', title };
  return { ...ownLesson(lesson), topic, own: true };
}

/** Lessons that build on themselves, by way of the others in their list: each circle once. */
function circles(lessons: readonly LessonInTopic[]): string[][] {
  const buildsOn = (id: string) => lessons.filter((each) => each.id === id).flatMap((each) => each.buildsOn);
  const before = new Map(lessons.map(({ id }) => [id, allBefore(id, buildsOn)]));
  const inOne = [...before.keys()].filter((id) => before.get(id)?.has(id));
  const together = (id: string) => inOne.filter((each) => before.get(id)?.has(each) && before.get(each)?.has(id));
  return [...Map.groupBy(inOne, (id) => together(id).join()).values()];
}

/** What comes before a lesson, directly or not. */
function allBefore(id: string, buildsOn: (id: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set(buildsOn(id));
  // A set goes on with what is added meanwhile.
  for (const each of found) for (const earlier of buildsOn(each)) found.add(earlier);
  return found;
}

function chosen(
  path: NonNullable<ClassFileData['path']>,
  known: readonly LessonInTopic[],
  { capstones, lacking, faults }: Pick<CheckedForm, 'faults'> & Required<Taken>,
): LessonInTopic[] {
  const lessons = path.flatMap((entry) => {
    const fits = ({ id, topic }: LessonInTopic) =>
      typeof entry === 'string' ? id === entry : topic.id === entry.topic;
    const found = known.filter(fits);
    if (found.length === 0) faults.push(notFound(entry, known, { capstones, lacking }));
    return found;
  });
  const twice = lessons.filter((lesson, index) => lessons.indexOf(lesson) !== index);
  for (const id of new Set(twice.map(({ id }) => id))) faults.push(`/path has the lesson ${id} twice`);
  return lessons;
}

function notFound(
  entry: string | { readonly topic: string },
  known: readonly LessonInTopic[],
  { capstones, lacking }: Required<Taken>,
): string {
  if (typeof entry === 'string') {
    if (capstones.includes(entry)) return `/path has ${entry}, which is a capstone: those are always there`;
    const ids = known.map(({ id }) => id);
    return `/path has the lesson ${entry}, ${whyNot(entry, ids, lacking)}`;
  }
  const topics = [...new Set(known.map(({ topic }) => topic.id))];
  return `/path has the topic ${entry.topic}, which does not exist: there are ${topics.join(', ')}`;
}

function whyNot(id: string, ids: readonly string[], lacking: readonly string[]): string {
  if (lacking.includes(id))
    return 'which is there only where the service asks for client certificates: set TLS_CLIENT_CA';
  return `which does not exist${didYouMean(id, ids)}`;
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
