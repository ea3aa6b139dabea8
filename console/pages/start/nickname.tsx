import { useState } from 'preact/hooks';
import { Words } from '../../parts/contained.tsx';
import { Form } from '../../parts/form.tsx';
import { Button, Field, Loading } from '../../parts/parts.tsx';
import { setNickname } from '../../state/clients.ts';
import { me, solved } from '../../state/learner.ts';

const skippedKey = 'lplate.nickname-skipped';

/** Lessons that are solved when a nickname is asked for. To make the client solves one. */
const minSolved = 2;

/** Asks for a nickname until there is one, or this browser was told to ask no more. */
export function AskNickname({ clientId }: { readonly clientId: string }) {
  const [skipped, setSkipped] = useState(localStorage.getItem(skippedKey) === clientId);
  if (skipped || solved.value < minSolved || !me.value || me.value.nickname !== null) return null;
  const skip = () => {
    localStorage.setItem(skippedKey, clientId);
    setSkipped(true);
  };
  return (
    <section class="card" aria-label="Nickname">
      <NicknameForm
        title="What should we call you?"
        beside={
          <Button small onPress={skip}>
            Skip
          </Button>
        }
      />
    </section>
  );
}

/** In the card of the client: the nickname, and how to change it. */
export function Nickname() {
  const [changing, setChanging] = useState(false);
  if (!me.value) return <Loading />;
  const { nickname, nicknameLocked } = me.value;
  if (changing) {
    const done = () => setChanging(false);
    return <NicknameForm title="Nickname" onDone={done} beside={<Button onPress={done}>Cancel</Button>} />;
  }
  return (
    <span class="row">
      {nickname === null ? <span class="muted">none</span> : <Words text={nickname} />}
      {nicknameLocked ? (
        <span class="muted small">chosen by your trainer</span>
      ) : (
        <Button
          small
          label={nickname === null ? 'Add a nickname' : 'Change the nickname'}
          onPress={() => setChanging(true)}
        >
          {nickname === null ? 'Add' : 'Change'}
        </Button>
      )}
    </span>
  );
}

interface NicknameFormProps {
  readonly title: string;
  readonly beside: preact.JSX.Element;
  readonly onDone?: () => void;
}

function NicknameForm({ title, beside, onDone }: NicknameFormProps) {
  const [name, setName] = useState(me.peek()?.nickname ?? '');
  const save = async () => {
    await setNickname(name.trim() === '' ? null : name.trim());
    onDone?.();
  };
  return (
    <Form submit="Save" onSubmit={save} beside={beside} primary={false}>
      <Field
        label={title}
        value={name}
        onInput={setName}
        about="Your name or that of your team, up to 40 characters. A trainer sees it, and may show it on the wall."
      />
    </Form>
  );
}
