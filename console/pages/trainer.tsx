import { useEffect } from 'preact/hooks';
import { trainerToken } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { Button, Failure, Time } from '../parts/parts.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { classRows, leaveClass, look, lookEvery, sight } from '../state/class.ts';
import { useEvery } from '../state/load.ts';
import { go, route } from '../state/route.ts';
import { Certificates } from './trainer/certificates.tsx';
import { ClassLessons } from './trainer/class-lessons.tsx';
import { ClassList } from './trainer/class-list.tsx';
import { Codes } from './trainer/codes.tsx';
import { Controls } from './trainer/controls.tsx';
import { Join } from './trainer/join.tsx';
import { LearnerPage } from './trainer/learner.tsx';
import { Matrix } from './trainer/matrix.tsx';
import { TokenForm } from './trainer/token.tsx';
import { Wall } from './trainer/wall.tsx';

const parts = { class: ClassList, lessons: Matrix, path: ClassLessons, controls: Controls, join: Join } as const;
type Part = keyof typeof parts;

const tabs: readonly (readonly [Part, string])[] = [
  ['class', 'The class'],
  ['lessons', 'Learners and lessons'],
  ['path', 'Lessons'],
  ['controls', 'Controls'],
  ['join', 'Join'],
];

/** For who has the trainer's token. It works beside the session of a learner in the same browser. */
export default function Trainer() {
  if (trainerToken.value === undefined) return <TokenForm />;
  return <Training />;
}

function Training() {
  useEffect(() => void look(true), []);
  useEvery(lookEvery, look);
  const { rest, query } = route.value;
  const [part = 'class', id] = rest;
  if (query.has('wall')) return <Wall part={part} />;
  if (part === 'learners' && id !== undefined) return <LearnerPage key={id} clientId={id} />;
  if (part === 'certificates') return <Certificates />;
  if (part === 'codes') return <Codes />;
  const shown = Object.hasOwn(parts, part) ? (part as Part) : 'class';
  const Shown = parts[shown];
  return (
    <Page title="Trainer" actions={<Leave />}>
      <Tabs label="Parts of the trainer’s page" tabs={tabs} chosen={shown} onChoose={(to) => go(`/trainer/${to}`)}>
        <Sight />
        <Shown />
      </Tabs>
    </Page>
  );
}

function Leave() {
  return (
    <Button small onPress={() => leaveClass()}>
      Leave
    </Button>
  );
}

/** What is wrong, if the class can't be seen at the moment. */
function Sight() {
  const { since, error } = sight.value;
  if (!error) return null;
  return (
    <>
      <Failure error={error} onAgain={() => look(true)} />
      {since !== undefined && classRows.value.size > 0 && (
        <p class="muted small">
          What you see is from <Time at={new Date(since).toISOString()} />.
        </p>
      )}
    </>
  );
}
