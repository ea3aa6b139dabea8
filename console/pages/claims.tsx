import { route } from '../state/route.ts';
import { ClaimList } from './claims/list.tsx';
import { OneClaim } from './claims/one.tsx';

export default function Claims() {
  const [id] = route.value.rest;
  return id ? <OneClaim key={id} id={id} /> : <ClaimList />;
}
