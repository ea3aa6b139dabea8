import { useState } from 'preact/hooks';
import { defaultOutcome, defaultPaceSeconds, outcomes } from '../../../src/claims/claim.ts';
import { isInForce } from '../../../src/insurer/policy-status.ts';
import type { Claim, ClaimRequest, Page as PageOf, Policy } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { Form } from '../../parts/form.tsx';
import { Made } from '../../parts/owned.tsx';
import { Button, Choice, Failure, Field } from '../../parts/parts.tsx';
import { type MadeCall, makeCall, type useResource } from '../../state/owned.ts';
import { keepRequest } from './request.ts';

const outcomeOptions = outcomes.map((outcome) => [outcome, outcome] as const);

interface RegisterProps {
  /** The id of the policy that is chosen at first; empty for any. */
  readonly policy: string;
  /** Those that the client has. */
  readonly policies: ReturnType<typeof useResource<PageOf<Policy>>>;
  readonly onMade: () => void;
  readonly onClose: () => void;
}

export function Register({ policy, policies, onMade, onClose }: RegisterProps) {
  const [policyNumber, setPolicyNumber] = useState(policy);
  const [outcome, setOutcome] = useState<ClaimRequest['outcome']>(defaultOutcome);
  const [pace, setPace] = useState(String(defaultPaceSeconds));
  const [made, setMade] = useState<MadeCall>();

  const inForce = (policies.value?.value.items ?? [])
    .filter(isInForce)
    .map(
      ({ id, regNumber, holder }) => [id, holder === null ? regNumber : `${regNumber}, ${visible(holder)}`] as const,
    );
  // Also one that is not in force, or not among the first 500, if somebody came with it.
  const options =
    inForce.some(([id]) => id === policy) || !policy ? inForce : [[policy, visible(policy)] as const, ...inForce];
  const chosen = policyNumber || options[0]?.[0] || '';

  const register = async () => {
    const paceSeconds = Number(pace);
    const json = { policyNumber: chosen, outcome, paceSeconds };
    const call = await makeCall('POST', '/claims/v1/claims', { json });
    setMade(call);
    if (!call.answer) return;
    keepRequest(JSON.parse(call.answer.text), { outcome, paceSeconds });
    onMade();
  };
  if (policies.state === 'ready' && options.length === 0) {
    return (
      <p class="notice">
        A claim needs a policy that is in force, and you have none. <a href="#/policies">Insure a vehicle</a> first.
      </p>
    );
  }
  const claim: Claim | undefined = made?.answer && JSON.parse(made.answer.text);
  return (
    <section class="card" aria-label="Register a claim">
      <Form submit="Register it" onSubmit={register} beside={<Button onPress={onClose}>Close</Button>}>
        {policies.error && <Failure error={policies.error} onAgain={policies.again} />}
        <div class="columns">
          <Choice
            label="Policy"
            value={chosen}
            options={options.length > 0 ? options : [['', 'Loading …']]}
            onChange={setPolicyNumber}
          />
          <Choice label="How its review ends" value={outcome} options={outcomeOptions} onChange={setOutcome} />
          <Field
            label="Seconds between two changes"
            type="number"
            value={pace}
            onInput={setPace}
            about="Its pace: a whole number from 1 to 3,600."
          />
        </div>
      </Form>
      <Made made={made}>
        {claim && (
          <p>
            Registered. <a href={`#/claims/${encodeURIComponent(claim.claimId)}`}>Follow {claim.claimId}</a>
          </p>
        )}
      </Made>
    </section>
  );
}
