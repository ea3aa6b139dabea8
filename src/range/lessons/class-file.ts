import { Ajv } from 'ajv';
import Type, { type Static } from 'typebox';
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

type ClassFileData = Static<typeof ClassFile>;

const ownTopic = 'Lessons of this class';

/**
 * The lessons that a file chooses from `all`, and adds. None of them can have an id that is `taken`.
 *
 * @throws {StartupError} saying what in the file can't be used
 */
export function catalogueOf(file: object, all: readonly PlacedLesson[], taken: readonly string[] = []): Catalogue {
  const validate = new Ajv({ strict: false }).compile<ClassFileData>(ClassFile);
  if (!validate(file)) {
    const [error] = validate.errors ?? [];
    const extra = error?.params.additionalProperty;
    throw refusal(`${error?.instancePath || '/'} ${error?.message}${extra === undefined ? '' : `: ${extra}`}`);
  }
  const { path, own = [] } = file;
  const mine = own.map((lesson) => placedOwn(lesson, all));
  const known = [...all, ...mine];
  const ids = [...taken, ...all.map(({ id }) => id)];
  const twice = mine.find(({ id }, index) => ids.includes(id) || mine.findIndex((each) => each.id === id) !== index);
  if (twice) throw refusal(`/own has the id ${twice.id}, which another lesson or a capstone has`);
  for (const { id, buildsOn } of mine) {
    const unknown = buildsOn.find((each) => !known.some((lesson) => lesson.id === each));
    if (unknown !== undefined) throw refusal(`the lesson ${id} builds on ${unknown}, which does not exist`);
  }
  return new Catalogue(path ? chosen(path, known) : known);
}

function placedOwn(data: OwnLessonData, all: readonly PlacedLesson[]): PlacedLesson {
  const { topic: title = ownTopic, ...lesson } = data;
  const topic = all.find(({ topic }) => topic.title === title)?.topic ?? { id: 'own', title };
  return { ...ownLesson(lesson), topic };
}

function chosen(path: NonNullable<ClassFileData['path']>, known: readonly PlacedLesson[]): PlacedLesson[] {
  const lessons = path.flatMap((entry) => {
    const isMeant = ({ id, topic }: PlacedLesson) =>
      typeof entry === 'string' ? id === entry : topic.id === entry.topic;
    const found = known.filter(isMeant);
    if (found.length > 0) return found;
    const name = typeof entry === 'string' ? `lesson ${entry}` : `topic ${entry.topic}`;
    throw refusal(`/path has the ${name}, which does not exist`);
  });
  const twice = lessons.find((lesson, index) => lessons.indexOf(lesson) !== index);
  if (twice) throw refusal(`/path has the lesson ${twice.id} twice`);
  return lessons;
}

const refusal = (what: string) => new StartupError(2, `LESSONS: ${what}.`);
