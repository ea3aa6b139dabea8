import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { LearnerProfile, Transfer } from '../../api/types.ts';
import { nameOf } from '../../model/class.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Words } from '../../parts/contained.tsx';
import { Form } from '../../parts/form.tsx';
import { Button, Field, Time } from '../../parts/parts.tsx';
import { TransferCode } from '../../parts/transfer-code.tsx';
import { look } from '../../state/class.ts';
import { go } from '../../state/route.ts';
import { LearnerName } from './learner-parts.tsx';
import { Outcome, useWork } from './work.tsx';

interface LearnerControlProps {
  readonly profile: LearnerProfile;
  readonly onChanged: () => void;
}

/** What a trainer does for one learner: a word, a code for another browser, a locked name, the end. */
export function LearnerControl({ profile, onChanged }: LearnerControlProps) {
  const { clientId, nicknameLocked, note } = profile;
  const path = `/range/v1/trainer/learners/${encodeURIComponent(clientId)}`;
  const work = useWork();
  const [text, setText] = useState(note?.text ?? '');
  const [transfer, setTransfer] = useState<Transfer>();
  const changed = (said: string) => {
    onChanged();
    void look(true);
    return said;
  };
  const say = async () => {
    await call('PUT', `${path}/note`, { as: 'trainer', json: { text: text.trim() } });
    onChanged();
  };
  const takeBack = async () => {
    await call('DELETE', `${path}/note`, { as: 'trainer' });
    setText('');
    onChanged();
    return 'The learner sees it no longer.';
  };
  const open = async () => {
    setTransfer(JSON.parse((await call('POST', `${path}/transfer`, { as: 'trainer' })).text));
    return 'Hand the code to the learner.';
  };
  const lock = async () => {
    await call('PATCH', path, { as: 'trainer', json: { nicknameLocked: !nicknameLocked } });
    return changed(nicknameLocked ? 'The learner can change the nickname again.' : 'Only you can change the nickname.');
  };
  const remove = async () => {
    await call('DELETE', path, { as: 'trainer' });
    go('/trainer/class');
    return changed('The learner is removed.');
  };
  return (
    <section class="card stack">
      <h2>This learner</h2>
      <Form submit="Say it" onSubmit={say} primary={false}>
        <Field
          label="A word to this learner"
          value={text}
          onInput={setText}
          about="Only this learner sees it, until you take it back."
        />
      </Form>
      <div class="row" role="status">
        {note && (
          <>
            <span>
              Said at <Time at={note.at} />: <Words text={note.text} />
            </span>
            <Button small onPress={() => work.attempt(takeBack)}>
              Take it back
            </Button>
          </>
        )}
      </div>
      <div class="row">
        <Button onPress={() => work.attempt(open)}>Code for another browser</Button>
        <Button onPress={() => work.attempt(lock)}>
          {nicknameLocked ? 'Unlock the nickname' : 'Lock the nickname'}
        </Button>
        <Confirm label="Remove this learner" yes="Yes: remove" onConfirm={() => work.attempt(remove)}>
          <p>
            <strong>
              <LearnerName name={nameOf(profile)} /> is removed with all that is its own.
            </strong>{' '}
            There is no way back.
          </p>
        </Confirm>
      </div>
      {transfer && <TransferCode transfer={transfer} />}
      <Outcome work={work} />
    </section>
  );
}

interface LearnerNicknameProps {
  readonly clientId: string;
  readonly nickname: string | null;
  readonly onNamed: () => void;
}

/** Names a learner who chose no nickname, or another one. */
export function LearnerNickname({ clientId, nickname, onNamed }: LearnerNicknameProps) {
  const [name, setName] = useState<string>();
  if (name === undefined) {
    return (
      <Button small onPress={() => setName(nickname ?? '')}>
        {nickname === null ? 'Name this learner' : 'Rename'}
      </Button>
    );
  }
  const save = async () => {
    const json = { nickname: name.trim() === '' ? null : name.trim() };
    await call('PATCH', `/range/v1/trainer/learners/${encodeURIComponent(clientId)}`, { as: 'trainer', json });
    setName(undefined);
    onNamed();
    await look(true);
  };
  return (
    <Form submit="Save" onSubmit={save} beside={<Button onPress={() => setName(undefined)}>Cancel</Button>}>
      <Field label="Nickname" value={name} onInput={setName} about="Up to 40 characters. The learner sees it, too." />
    </Form>
  );
}
