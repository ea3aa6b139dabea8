import { useState } from 'preact/hooks';
import { policyStatuses } from '../../../src/insurer/policy-status.ts';
import { credentials } from '../../api/session.ts';
import type { Fleet, Page as PageOf, Policy } from '../../api/types.ts';
import { exampleFleet } from '../../model/own-data.ts';
import { BodyForm, type Sent } from '../../parts/body-form.tsx';
import { Foreign } from '../../parts/contained.tsx';
import { Counted, Made, State, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Button, Choice, Field, Show } from '../../parts/parts.tsx';
import type { Loaded } from '../../state/load.ts';
import { clientNow } from '../../state/now.ts';
import { changedBelow, type MadeCall, makeCall, type Resource, useChanges, useResource } from '../../state/owned.ts';
import { replace, route } from '../../state/route.ts';
import { Imports } from './imports.tsx';
import { Insure } from './insure.tsx';

const path = '/insurer/v1/policies';
const sizes = [10, 20, 50, 100] as const;
const statuses = ['', ...policyStatuses] as const;

export function PolicyList() {
  return (
    <Page
      title="Policies"
      about={
        <>
          What you insured, oldest first, as <code>GET {path}</code> lists it.
        </>
      }
      actions={
        <>
          <a href="#/policies/statements">Statements</a>
          <a href="#/policies/erasures">Erasures</a>
        </>
      }
    >
      <NeedsClient>
        <Policies />
      </NeedsClient>
    </Page>
  );
}

function Policies() {
  const { query } = route.value;
  const page = Math.max(1, Number(query.get('page')) || 1);
  const size = sizes.find((each) => String(each) === query.get('pageSize')) ?? 20;
  const status = statuses.find((each) => each === query.get('status')) ?? '';
  const regNumber = query.get('regNumber') ?? '';
  const filter = filterOf({ status, regNumber });
  const list = useResource<PageOf<Policy>>(`${path}?page=${page}&pageSize=${size}${filter}`);
  useChanges(changedBelow(path), list.again);
  const [open, setOpen] = useState<'insure' | 'imports' | 'own'>();
  const [fleet, setFleet] = useState<MadeCall>();

  const give = async (own?: Sent) => {
    const made = await makeCall('POST', '/range/v1/me/fleet', own);
    setFleet(made);
    if (!made.error) list.again();
  };
  const toggle = (part: typeof open) => () => {
    setOpen(open === part ? undefined : part);
    setFleet(undefined);
  };
  const close = () => setOpen(undefined);
  return (
    <>
      <div class="row actions">
        <Button kind="primary" onPress={toggle('insure')} expanded={open === 'insure'}>
          Insure a vehicle
        </Button>
        <Button onPress={toggle('imports')} expanded={open === 'imports'}>
          Import policies
        </Button>
        <Button
          onPress={() => {
            close();
            return give();
          }}
        >
          Add 75 example policies
        </Button>
        <Button onPress={toggle('own')} expanded={open === 'own'}>
          Add your own
        </Button>
        <Button onPress={list.again}>Refresh</Button>
      </div>
      {open === 'insure' && <Insure onMade={list.again} onClose={close} />}
      {open === 'imports' && <Imports onDone={list.again} onClose={close} />}
      {open === 'own' && (
        <BodyForm
          label="Add your own"
          submit="Add them"
          example={exampleFleet(credentials.peek()?.clientId ?? '', clientNow())}
          about={
            <>
              1 to 100 drafts, all or none. Besides what <code>POST {path}</code> takes, a draft can have a{' '}
              <code>status</code>, and a <code>startDate</code> in the past.
            </>
          }
          onSend={give}
          onClose={close}
        />
      )}
      <Made made={fleet}>
        <p>{fleet?.answer && `${(JSON.parse(fleet.answer.text) as Fleet).policies.length} policies were made.`}</p>
      </Made>
      <div class="row filters">
        <Choice
          label="Status"
          value={status}
          options={statuses.map((each) => [each, each || 'All'])}
          onChange={(to) => replace(`/policies?pageSize=${size}${filterOf({ status: to, regNumber })}`)}
        />
        <ByNumber
          key={regNumber}
          regNumber={regNumber}
          onChange={(to) => replace(`/policies?pageSize=${size}${filterOf({ status, regNumber: to })}`)}
        />
      </div>
      <Listed
        list={list}
        size={size}
        filtered={filter !== ''}
        onPage={(to) => replace(`/policies?page=${to}&pageSize=${size}${filter}`)}
        onSize={(to) => replace(`/policies?pageSize=${to}${filter}`)}
      />
      <Counted />
    </>
  );
}

/** As it stands in an address, behind something else. */
function filterOf(filter: { readonly status: string; readonly regNumber: string }): string {
  const chosen = Object.entries(filter).filter(([, value]) => value !== '');
  return chosen.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
}

/** Asks only when it is finished: each list is a call that counts. */
function ByNumber({ regNumber, onChange }: { readonly regNumber: string; readonly onChange: (to: string) => void }) {
  const [typed, setTyped] = useState(regNumber);
  return (
    <search>
      <form
        class="row filters"
        onSubmit={(event) => {
          event.preventDefault();
          onChange(typed.trim());
        }}
      >
        <Field label="Registration number" type="search" mono value={typed} onInput={setTyped} />
        <button type="submit" class="button">
          Find
        </button>
      </form>
    </search>
  );
}

interface ListedProps {
  readonly list: Loaded<Resource<PageOf<Policy>>> & { readonly again: () => void };
  readonly size: number;
  /** Whether some are left out. */
  readonly filtered: boolean;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: string) => void;
}

function Listed({ list, size, filtered, onPage, onSize }: ListedProps) {
  return (
    <Show loaded={list}>
      {({ value }) =>
        value.totalItems === 0 && filtered ? (
          <p class="notice">You have no policy like that.</p>
        ) : value.totalItems === 0 ? (
          <div class="notice">
            <p>
              <strong>You have no policies yet.</strong> Insure a vehicle, here or by a call of yours. Or add 75 example
              policies of many kinds, to page through.
            </p>
          </div>
        ) : (
          <>
            <Rows policies={value.items} />
            <div class="row ends">
              <Pager list={value} onPage={onPage} />
              {value.totalItems > Math.min(...sizes) && (
                <Choice
                  label="On a page"
                  value={String(size)}
                  options={sizes.map((each) => [String(each), String(each)])}
                  onChange={onSize}
                />
              )}
            </div>
          </>
        )
      }
    </Show>
  );
}

function Rows({ policies }: { readonly policies: readonly Policy[] }) {
  if (policies.length === 0) return <p class="notice">This page of the list is empty. Go back to the last one.</p>;
  return (
    <Table label="Policies">
      <thead>
        <tr>
          <th scope="col">Vehicle</th>
          <th scope="col">Status</th>
          <th scope="col">Holder</th>
          <th scope="col" class="wide-only">
            Coverage
          </th>
          <th scope="col" class="wide-only">
            Cover until
          </th>
        </tr>
      </thead>
      <tbody>
        {policies.map(({ id, regNumber, status, holder, coverageOption, endDate }) => (
          <tr key={id}>
            <th scope="row" class="plate-number">
              <a href={`#/policies/${encodeURIComponent(id)}`}>{regNumber}</a>
            </th>
            <td>
              <State state={status} />
            </td>
            <td class="wraps">{holder === null ? <span class="muted">none</span> : <Foreign text={holder} />}</td>
            <td class="wide-only nowrap">{coverageOption}</td>
            <td class="wide-only nowrap">{endDate}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
