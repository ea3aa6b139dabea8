import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Form } from './form.tsx';
import { Button, Field } from './parts.tsx';

/** What a call sends. */
export interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface BodyFormProps {
  /** Names the form. */
  readonly label: string;
  readonly submit: string;
  /** What stands in the field at first. */
  readonly example: object;
  readonly about: ComponentChildren;
  readonly onSend: (sent: Sent) => Promise<unknown>;
  readonly onClose: () => void;
}

/** The body of a call in JSON. It is sent as it stands, so that the service says what is wrong with it, and where. */
export function BodyForm({ label, submit, example, about, onSend, onClose }: BodyFormProps) {
  const [first] = useState(() => JSON.stringify(example, null, 2));
  const [body, setBody] = useState(first);
  return (
    <section class="card" aria-label={label}>
      <Form
        submit={submit}
        onSubmit={() => onSend({ body, headers: { 'Content-Type': 'application/json' } })}
        beside={<Button onPress={onClose}>Close</Button>}
      >
        <Field
          label="Body of the call"
          lines={first.split('\n').length}
          mono
          focused
          value={body}
          onInput={setBody}
          about={about}
        />
      </Form>
    </section>
  );
}
