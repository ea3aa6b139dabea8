import { useState } from 'preact/hooks';
import { Page } from '../parts/page.tsx';
import {
  Badge,
  Button,
  Choice,
  Code,
  CopyButton,
  Field,
  FileField,
  type Mood,
  Notice,
  Status,
  Time,
} from '../parts/parts.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Bar, Mark, Ring } from './lessons/progress.tsx';

const moods: readonly Mood[] = ['good', 'note', 'warn', 'bad'];
const nothing = () => {};

/** Every part of the console in its states, for those who change it. It is in no navigation. */
export default function Style() {
  const [tab, setTab] = useState('one');
  const [text, setText] = useState('Ada');
  const [choice, setChoice] = useState('a');
  return (
    <Page title="Style" about="Every part in its states." actions={<Button onPress={nothing}>Action</Button>}>
      <h2>Type</h2>
      <h3>A heading of the third level</h3>
      <p>
        Text with <a href="#/style">a link to this page</a>, <code>code</code>, <strong>strong</strong> and{' '}
        <kbd>Ctrl K</kbd>.
      </p>
      <p class="muted small">
        Small and muted, with a time: <Time at="2026-03-02T10:15:30Z" withDate />
      </p>
      <h2>Buttons</h2>
      <div class="row">
        <Button kind="primary" onPress={nothing}>
          Primary
        </Button>
        <Button onPress={nothing}>Plain</Button>
        <Button kind="danger" onPress={nothing}>
          Danger
        </Button>
        <Button onPress={nothing} pressed>
          Pressed
        </Button>
        <Button onPress={nothing} disabled>
          Disabled
        </Button>
        <Button small onPress={nothing}>
          Small
        </Button>
        <CopyButton text="text" />
      </div>
      <h2>Marks</h2>
      <div class="row">
        {[200, 304, 404, 503, 0].map((status) => (
          <Status key={status} status={status} />
        ))}
        <Badge>Badge</Badge>
        {moods.map((mood) => (
          <Badge key={mood} mood={mood}>
            {mood}
          </Badge>
        ))}
        {(['open', 'started', 'solved'] as const).map((state) => (
          <Mark key={state} state={state} />
        ))}
        {[0, 3, 9].map((part) => (
          <Ring key={part} part={part} of={9} />
        ))}
      </div>
      <Bar part={3} of={9} label="A bar" />
      <h2>Notices</h2>
      <Notice>Nothing special.</Notice>
      {moods.map((mood) => (
        <Notice key={mood} mood={mood}>
          <strong>{mood}.</strong> What there is to know.
        </Notice>
      ))}
      <h2>Fields</h2>
      <div class="columns">
        <Field label="A field" value={text} onInput={setText} about="What it is for." />
        <Field label="Empty" value="" onInput={nothing} placeholder="placeholder" mono />
        <Field label="Several lines" value={'{\n}'} onInput={nothing} lines={3} mono />
        <FileField label="A file" onFile={nothing} />
        <Choice
          label="A choice"
          value={choice}
          options={[
            ['a', 'The first'],
            ['b', 'The second'],
          ]}
          onChange={setChoice}
        />
      </div>
      <h2>Tabs, code, facts, cards</h2>
      <Tabs
        label="Tabs"
        tabs={[
          ['one', 'One'],
          ['two', 'Two'],
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        <Code text={'curl -s https://example.com\n'} label="Code" />
      </Tabs>
      <div class="columns">
        <section class="card" aria-label="Facts">
          <dl class="facts">
            <dt>client_id</dt>
            <dd class="row">
              <code>demo-0123456789abcdef</code>
            </dd>
            <dt>Nickname</dt>
            <dd class="row">Ada</dd>
          </dl>
        </section>
        <section class="card" aria-label="A table">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Value</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <td>One</td>
                <td>1</td>
              </tr>
            </tbody>
          </table>
        </section>
      </div>
    </Page>
  );
}
