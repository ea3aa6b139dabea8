import { lazy } from '../parts/lazy.tsx';
import { route } from '../state/route.ts';
import { PolicyList } from './policies/list.tsx';
import { OnePolicy } from './policies/one.tsx';

/** What stands beside the list. No id is such a name: those begin with pol-. */
const beside = new Map([
  ['statements', lazy(() => import('./policies/statements.tsx'))],
  ['erasures', lazy(() => import('./policies/erasures.tsx'))],
]);

export default function Policies() {
  const [id] = route.value.rest;
  const Beside = id && beside.get(id);
  if (Beside) return <Beside />;
  return id ? <OnePolicy key={id} id={id} /> : <PolicyList />;
}
