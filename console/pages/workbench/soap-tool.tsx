import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/call.ts';
import { personalPrefix } from '../../api/session.ts';
import { nameInV2, presets, pretty, readAnswer, regNumberIn, soapAction } from '../../model/soap.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Table } from '../../parts/owned.tsx';
import { Button, Failure, Field, Notice } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { AnswerView, problemOf } from './answer.tsx';

interface Answers {
  readonly v1: Answer;
  /** Undefined where the envelope names no vehicle. */
  readonly v2?: Answer;
}

/** Sends an envelope to the vehicle registry, and asks its REST interface for the same vehicle. */
export function SoapTool() {
  const [envelope, setEnvelope] = useKept('soap', presets[0]?.envelope ?? '');
  const [answers, setAnswers] = useState<Answers>();
  const [error, setError] = useState<Error>();
  const send = async () => {
    setError(undefined);
    try {
      setAnswers(await ask(envelope));
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <>
      <p class="prose">
        The vehicle registry v1 takes SOAP 1.1: an envelope by POST, as text/xml. What goes wrong is a fault, and its
        HTTP status is 500 in each case. Version 2 is REST: the same facts as JSON, and problems with a status of their
        own. <a href="/vehicle-registry/v1">How to call the service</a>
      </p>
      <div class="row actions">
        {presets.map(({ name, envelope: preset }) => (
          <Button key={name} pressed={envelope === preset} onPress={() => setEnvelope(preset)}>
            {name}
          </Button>
        ))}
      </div>
      <div class="wide">
        <Field label="Envelope" lines={10} mono value={envelope} onInput={setEnvelope} />
      </div>
      <Button kind="primary" onPress={send}>
        Send it
      </Button>
      <div aria-live="polite">
        {error && <Failure error={error} />}
        {answers && <Compared {...answers} />}
      </div>
    </>
  );
}

async function ask(envelope: string): Promise<Answers> {
  const prefix = new URL(personalPrefix.value).pathname.replace(/\/$/, '');
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${soapAction}"` };
  const regNumber = regNumberIn(envelope)?.trim();
  const asNobody = { as: 'nobody', anyStatus: true } as const;
  const v1 = call('POST', `${prefix}/vehicle-registry/v1`, { ...asNobody, body: envelope, headers });
  if (!regNumber) return { v1: await v1 };
  const v2 = call('GET', `${prefix}/vehicle-registry/v2/vehicles/${encodeURIComponent(regNumber)}`, asNobody);
  const [first, second] = await Promise.all([v1, v2]);
  return { v1: first, v2: second };
}

function Compared({ v1, v2 }: Answers) {
  const { facts, fault } = readAnswer(v1.text);
  const problem = v2 && problemOf(v2);
  return (
    <>
      <h2>The answers</h2>
      <div class="columns">
        <AnswerView title="v1, SOAP" answer={v1} text={pretty(v1.text)} headers={['Content-Type']}>
          {fault && (
            <Notice mood="bad">
              <strong>{fault.code}</strong> <Foreign text={fault.text} />
              <p>{fault.meaning}</p>
            </Notice>
          )}
          {facts && <Notice mood="good">The vehicle was found.</Notice>}
        </AnswerView>
        {v2 ? (
          <AnswerView title="v2, REST" answer={v2} headers={['Content-Type']}>
            {problem && (
              <Notice mood="bad">
                <strong>{problem.title}.</strong> <Foreign text={problem.detail} />
              </Notice>
            )}
            {v2.status === 200 && <Notice mood="good">The vehicle was found.</Notice>}
          </AnswerView>
        ) : (
          <section aria-label="v2, REST">
            <h3>v2, REST</h3>
            <p class="muted">The envelope names no vehicle, so there is none to ask version 2 for.</p>
          </section>
        )}
      </div>
      {facts && v2?.status === 200 && <Members facts={facts} v2={JSON.parse(v2.text)} />}
    </>
  );
}

/** Each element beside the member that has become of it. */
function Members({
  facts,
  v2,
}: {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly v2: Readonly<Record<string, unknown>>;
}) {
  return (
    <>
      <h3>From v1 to v2</h3>
      <Table label="From v1 to v2">
        <thead>
          <tr>
            <th scope="col">Element</th>
            <th scope="col">Its text</th>
            <th scope="col">Member</th>
            <th scope="col">Its value</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                <Foreign text={value} />
              </td>
              <td>
                <code>{nameInV2(name)}</code>
              </td>
              <td>
                <code>{JSON.stringify(v2[nameInV2(name)])}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
