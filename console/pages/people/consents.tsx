import { useState } from 'preact/hooks';
import type { Consent, Page } from '../../api/types.ts';
import { Made, Table } from '../../parts/owned.tsx';
import { focusTitle } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Badge, Button, Show, Time } from '../../parts/parts.tsx';
import { type MadeCall, makeCall, useChanges, useResource } from '../../state/owned.ts';

const path = '/range/v1/me/consents';

/** What ended a consent, in a word or two. */
const ends: Readonly<Record<NonNullable<Consent['endedBy']>, string>> = {
  withdrawn: 'withdrawn',
  revoked: 'revoked by your app',
  'code-reused': 'ended: its code came twice',
  'token-reused': 'ended: an old refresh token came',
  expired: 'expired',
};

/** What people let the app do. */
export function Consents() {
  const [page, setPage] = useState(1);
  const list = useResource<Page<Consent>>(`${path}?page=${page}&pageSize=20`);
  // Codes and tokens that come again end one, too, with a call that is refused.
  useChanges(({ method, route }) => method === 'POST' && route.startsWith('/insurer/v1/auth/'), list.again);
  const [made, setMade] = useState<MadeCall>();
  const withdraw = async ({ consentId }: Consent) => {
    setMade(await makeCall('DELETE', `${path}/${encodeURIComponent(consentId)}`));
    list.again();
    focusTitle();
  };
  return (
    <section aria-labelledby="consents">
      <h2 id="consents">Their consents</h2>
      <p class="prose">
        Each time that somebody lets your app in there is one. All codes and tokens that came of it end with it.
      </p>
      <div class="row actions">
        <Button onPress={list.again}>Refresh</Button>
      </div>
      <Show loaded={list}>
        {({ value }) => (
          <>
            {value.totalItems === 0 ? (
              <p class="muted">Nobody has let your app in yet.</p>
            ) : (
              <Table label="Consents">
                <thead>
                  <tr>
                    <th scope="col">Person</th>
                    <th scope="col">Allowed</th>
                    <th scope="col" class="wide-only">
                      Given
                    </th>
                    <th scope="col" class="wide-only">
                      Until
                    </th>
                    <th scope="col">State</th>
                  </tr>
                </thead>
                <tbody>
                  {value.items.map((consent) => (
                    <Row key={consent.consentId} consent={consent} onWithdraw={() => withdraw(consent)} />
                  ))}
                </tbody>
              </Table>
            )}
            <Pager list={value} onPage={setPage} />
          </>
        )}
      </Show>
      <Made made={made}>
        <p>The person has changed their mind. Tokens of this consent are refused from now on.</p>
      </Made>
    </section>
  );
}

function Row({ consent, onWithdraw }: { readonly consent: Consent; readonly onWithdraw: () => Promise<void> }) {
  const { userName, scopes, createdAt, expiresAt, endedAt, endedBy } = consent;
  return (
    <tr>
      <th scope="row">{userName}</th>
      <td class="wraps">
        <code>{scopes.join(' ')}</code>
      </td>
      <td class="wide-only">
        <Time at={createdAt} withDate />
      </td>
      <td class="wide-only">
        <Time at={endedAt ?? expiresAt} withDate />
      </td>
      <td class="wraps">
        <span class="row">
          {endedBy === null ? (
            <>
              <Badge mood="good">holds</Badge>
              <Button small label={`Withdraw the consent of ${userName}`} onPress={onWithdraw}>
                Withdraw
              </Button>
            </>
          ) : (
            <Badge mood={endedBy.endsWith('reused') ? 'bad' : 'note'}>{ends[endedBy]}</Badge>
          )}
        </span>
      </td>
    </tr>
  );
}
