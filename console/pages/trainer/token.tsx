import { useState } from 'preact/hooks';
import { Refused, read } from '../../api/call.ts';
import { canBeToken, keepTrainerToken } from '../../api/session.ts';
import { Page } from '../../parts/page.tsx';
import { Button, Failure, Field } from '../../parts/parts.tsx';
import { refusedToken } from '../../state/class.ts';

/** Asks for the token, and keeps one that the service takes. */
export function TokenForm() {
  const [text, setText] = useState('');
  const open = async () => {
    const token = text.trim();
    try {
      await check(token);
      refusedToken.value = undefined;
      keepTrainerToken(token);
    } catch (error) {
      refusedToken.value = error as Error;
    }
  };
  const error = refusedToken.value;
  return (
    <Page
      title="Trainer"
      about="See the class live and who needs help, announce something, start drills, move clocks, reset and export. For this you need the trainer token."
    >
      <form
        class="prose"
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <Field
          label="Trainer token"
          type="password"
          mono
          value={text}
          onInput={setText}
          about="This browser keeps it until you close the tab or press Leave."
        />
        {error && <Wrong error={error} />}
        <p class="apart">
          <Button kind="primary" disabled={text.trim() === ''} onPress={open}>
            Open the class
          </Button>
        </p>
      </form>
      <h2>Where to find it</h2>
      <ul class="prose">
        <li>
          <span class="nowrap">L-Plate</span> prints it when it starts: in the terminal, under “Secrets”, the line{' '}
          <code>TRAINER_TOKEN</code>.
        </li>
        <li>
          You can choose it yourself: set the environment variable <code>TRAINER_TOKEN</code> and start{' '}
          <span class="nowrap">L-Plate</span> again.
        </li>
        <li>With PostgreSQL it must be set. Without it there is no trainer.</li>
        <li>
          You are a learner? Then you don’t need this page. <a href="#/">Go to Start</a>.
        </li>
      </ul>
    </Page>
  );
}

function Wrong({ error }: { readonly error: Error }) {
  if (!(error instanceof Refused && error.status === 401)) return <Failure error={error} />;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>This is not the trainer token.</strong> Copy the line <code>TRAINER_TOKEN</code> from the terminal,
        without spaces. After a start with another data directory it is another token.
      </p>
    </div>
  );
}

/** @throws {Refused} if it is not the trainer's token */
async function check(token: string): Promise<void> {
  // What no header can carry is no token.
  if (!canBeToken(token)) throw new Refused(401, undefined);
  const headers = { Authorization: `Bearer ${token}` };
  await read('/range/v1/trainer/lessons?pageSize=1', { as: 'nobody', headers });
}
