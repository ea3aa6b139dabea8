import { useState } from 'preact/hooks';
import type { CoverageOption, Policy } from '../../api/types.ts';
import { Form } from '../../parts/form.tsx';
import { Made } from '../../parts/owned.tsx';
import { Button, Choice, Failure, Field } from '../../parts/parts.tsx';
import { type MadeCall, makeCall, useResource } from '../../state/owned.ts';

/** Insures a vehicle. What is left empty is not sent. */
export function Insure({ onMade, onClose }: { readonly onMade: () => void; readonly onClose: () => void }) {
  const options = useResource<{ options: readonly CoverageOption[] }>('/insurer/v1/coverage-options');
  const [regNumber, setRegNumber] = useState('');
  const [holder, setHolder] = useState('');
  const [coverageOption, setCoverageOption] = useState('');
  const [startDate, setStartDate] = useState('');
  const [made, setMade] = useState<MadeCall>();

  const insure = async () => {
    const json = {
      regNumber,
      ...(holder && { holder }),
      ...(coverageOption && { coverageOption }),
      ...(startDate && { startDate }),
    };
    const call = await makeCall('POST', '/insurer/v1/policies', { json });
    setMade(call);
    if (!call.error) onMade();
  };
  const codes = options.value?.value.options ?? [];
  const policy: Policy | undefined = made?.answer && JSON.parse(made.answer.text);
  return (
    <section class="card" aria-label="Insure a vehicle">
      <Form submit="Insure it" onSubmit={insure} beside={<Button onPress={onClose}>Close</Button>}>
        {options.error && <Failure error={options.error} onAgain={options.again} />}
        <div class="columns">
          <Field
            label="Registration number"
            value={regNumber}
            onInput={setRegNumber}
            placeholder="AB-1234"
            mono
            about="Letters, digits and dashes. A vehicle can have one policy in force, whoever owns it."
          />
          <Field
            label="Holder"
            value={holder}
            onInput={setHolder}
            placeholder="Ada Example"
            about="May be left empty."
          />
          <Choice
            label="Coverage option"
            value={coverageOption}
            options={[['', 'The default, twelve months'], ...codes.map(({ code, name }) => [code, name] as const)]}
            onChange={setCoverageOption}
          />
          <Field
            label="First day of cover"
            type="date"
            value={startDate}
            onInput={setStartDate}
            about="Left empty: today. At most a year ahead."
          />
        </div>
      </Form>
      <Made made={made}>
        {policy && (
          <p>
            Insured. <a href={`#/policies/${encodeURIComponent(policy.id)}`}>Open the policy of {policy.regNumber}</a>
          </p>
        )}
      </Made>
    </section>
  );
}
