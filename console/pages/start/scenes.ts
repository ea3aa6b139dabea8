/** A call and what it was told, of this service. A test makes the call and compares. */
export interface Scene {
  readonly title: string;
  /** As one types it, with what is long left out. */
  readonly call: string;
  /** Of the answer: its status, and where the call was judged later, its score. */
  readonly status: string;
  readonly heading: string;
  /** Part of what the service says. */
  readonly says: string;
  readonly after: {
    readonly call: string;
    readonly status: string;
    readonly says: string;
  };
}

/** What a first visit sees before there is a client: three times the service refuses, and says why. */
export const scenes: readonly [Scene, ...Scene[]] = [
  {
    title: 'A wrong signature',
    call: `curl …/insurer/v1/signed/policy-check \\
  -H 'X-Signature: ljmMvA…5dk=' \\
  -d '{"regNumber":"FL-0001"}'`,
    status: '401',
    heading: 'The signature does not fit the body',
    says: 'The signature is not hexadecimal; it looks like base64: write it as 64 digits from 0-9 and a-f.',
    after: {
      call: "curl … -H 'X-Signature: 96398cbc…'",
      status: '200',
      says: '"insured":true',
    },
  },
  {
    title: 'An expired token',
    call: `curl …/range/v1/me/clock \\
  -d '{"advance":"PT61M"}'
curl …/insurer/v1/policies -H "$OLD_TOKEN"`,
    status: '401',
    heading: 'The token is not valid',
    says: 'Get a new token from POST /auth/token with your client_id and client_secret, and send its access_token.',
    after: { call: 'curl …/insurer/v1/policies -H "$NEW_TOKEN"', status: '200', says: '"totalItems":1' },
  },
  {
    title: 'A score: 93 of 100',
    call: `curl -X POST …/me/capstones/bad-line/runs
# 15 orders, over a line that loses answers
curl …/me/answers -d '{"lesson":"bad-line",…}'`,
    status: '93',
    heading: 'Doubled: Branch 1-07',
    says: '2 policies in force have this holder.',
    after: { call: 'POST /insurer/v1/policies', status: '201', says: 'sent again after its answer was lost' },
  },
];
