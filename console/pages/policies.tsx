import { route } from '../state/route.ts';
import { PolicyList } from './policies/list.tsx';
import { OnePolicy } from './policies/one.tsx';

export default function Policies() {
  const [id] = route.value.rest;
  return id ? <OnePolicy key={id} id={id} /> : <PolicyList />;
}
