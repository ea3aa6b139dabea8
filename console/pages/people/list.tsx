import { useState } from 'preact/hooks';
import type { Person } from '../../api/types.ts';
import { Counted, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, CopyButton, Failure, Show } from '../../parts/parts.tsx';
import { useResource } from '../../state/owned.ts';
import { go } from '../../state/route.ts';
import { Consents } from './consents.tsx';
import { beginFlow, flow } from './flow.ts';
import { RedirectUris } from './redirect-uris.tsx';

/** What is asked for at first: enough to see that not all is. */
const usualScope = 'policies:read claims:read';

export function PeoplePage() {
  return (
    <Page
      title="People"
      about="Policyholders who sign in at L-Plate and let your app in: OAuth with an authorization code and PKCE. They are made up, and yours alone."
    >
      <NeedsClient>
        <Persons />
        <Consents />
        <RedirectUris />
        <Counted />
      </NeedsClient>
    </Page>
  );
}

function Persons() {
  const people = useResource<{ readonly items: readonly Person[] }>('/range/v1/me/people');
  const [error, setError] = useState<Error>();
  const begin = (person: Person) => beginFlow(person, usualScope).then(() => go('/people/flow'), setError);
  return (
    <section aria-labelledby="persons">
      <h2 id="persons">Who they are</h2>
      <p class="prose">
        Sign in as one of them to try the whole flow here, without an app of your own. With a <a href="#/time">drill</a>{' '}
        it goes wrong; the <a href="#/guides/people">guide</a> has it with curl.
        {flow.value && (
          <>
            {' '}
            You are in the middle of one: <a href="#/people/flow">go on as {flow.value.person.name}</a>.
          </>
        )}
      </p>
      {error && <Failure error={error} />}
      <Show loaded={people}>
        {({ value }) => (
          <Table label="People">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="wide-only">
                  User name
                </th>
                <th scope="col" class="wide-only">
                  Password
                </th>
                <th scope="col" class="wide-only">
                  Policies
                </th>
                <th scope="col">
                  <span class="unseen">What you can do</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {value.items.map((person) => (
                <Row key={person.personId} person={person} onBegin={() => begin(person)} />
              ))}
            </tbody>
          </Table>
        )}
      </Show>
    </section>
  );
}

function Row({ person, onBegin }: { readonly person: Person; readonly onBegin: () => Promise<void> }) {
  const { name, userName, password, policies } = person;
  const held = policies.map((id, at) => (
    <a key={id} href={`#/policies/${encodeURIComponent(id)}`} aria-label={`Policy ${at + 1} of ${name}`}>
      {at + 1}
    </a>
  ));
  return (
    <tr>
      <th scope="row" class="wraps">
        {name}
        <span class="narrow-below">
          <code>{userName}</code>
          <br />
          <code>{password}</code>
        </span>
      </th>
      <td class="wide-only">
        <code>{userName}</code>
      </td>
      <td class="wide-only">
        <span class="row">
          <code>{password}</code>
          <CopyButton text={password} about={`the password of ${name}`} />
        </span>
      </td>
      <td class="wide-only">
        <span class="row">{held}</span>
      </td>
      <td>
        <Button small onPress={onBegin}>
          Sign in as {name.split(' ', 1)}
        </Button>
      </td>
    </tr>
  );
}
