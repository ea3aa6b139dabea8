import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Form } from '../../parts/form.tsx';
import { Button, Field } from '../../parts/parts.tsx';
import { look } from '../../state/class.ts';

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
