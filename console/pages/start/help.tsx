import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Words } from '../../parts/contained.tsx';
import { Form } from '../../parts/form.tsx';
import { Button, Failure, Field, Time } from '../../parts/parts.tsx';
import { me, refreshMe } from '../../state/learner.ts';

/** Asks the trainer of a class for help. */
export function Help() {
  const [message, setMessage] = useState<string>();
  const [error, setError] = useState<Error>();
  const help = me.value?.help;
  const end = async () => {
    setError(undefined);
    await call('DELETE', '/range/v1/me/help').then(refreshMe, setError);
  };
  if (help) {
    return (
      <p class="row">
        <span>
          You asked for help at <Time at={help.at} />: <Words text={help.message} />
        </span>
        <Button small onPress={end}>
          No help needed any more
        </Button>
        {error && <Failure error={error} />}
      </p>
    );
  }
  if (message === undefined) {
    return (
      <Button small onPress={() => setMessage('')}>
        Ask the trainer for help
      </Button>
    );
  }
  const ask = async () => {
    await call('POST', '/range/v1/me/help', { json: { message: message.trim() } });
    setMessage(undefined);
    await refreshMe();
  };
  return (
    <Form submit="Ask" onSubmit={ask} beside={<Button onPress={() => setMessage(undefined)}>Cancel</Button>}>
      <Field
        label="What do you need help with?"
        value={message}
        onInput={setMessage}
        about="Up to 500 characters. Your trainer sees it at once, with your last calls."
      />
    </Form>
  );
}
