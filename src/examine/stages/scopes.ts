import type { StageCalls, Step } from '../stage.ts';
import { narrowToken, newClient, policies, withNarrow } from './policy-steps.ts';

const listWith = (headers: Step['headers'] = {}): Step => ({ method: 'GET', path: policies, headers });
const createWith = (json: object): Step => ({ method: 'POST', path: policies, headers: withNarrow, json });

export const scopes: StageCalls = {
  reads: 'Authentication',
  cases: [
    {
      title: 'A scope that does not exist is 400.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:delete' },
        },
      ],
    },
    { title: 'Without a token it is 401, and WWW-Authenticate says how to sign in.', steps: [listWith()] },
    { title: 'A token that nobody issued is 401.', steps: [listWith({ Authorization: 'Bearer wrong' })] },
    { title: 'Another scheme is 401.', steps: [listWith({ Authorization: 'Basic eDp5' })] },
    { title: 'A token to read lists policies.', steps: [...narrowToken('policies:read'), listWith(withNarrow)] },
    {
      title: 'A token to read creates no policy: 403, and the scope that is needed.',
      steps: [...narrowToken('policies:read'), createWith({ regNumber: '{plate1}' })],
    },
    {
      title: 'Who may not is refused before the body is looked at.',
      steps: [...narrowToken('policies:read'), createWith({})],
    },
    { title: 'A token to write lists no policies.', steps: [...narrowToken('policies:write'), listWith(withNarrow)] },
    {
      title: 'A token that was changed is 401.',
      steps: [{ as: 'ann', ...listWith({ Authorization: 'Bearer {ann.token}x' }) }],
    },
  ],
};
