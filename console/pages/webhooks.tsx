import { route } from '../state/route.ts';
import { SubscriptionList } from './webhooks/list.tsx';
import { OneSubscription } from './webhooks/one.tsx';

export default function Webhooks() {
  const [id] = route.value.rest;
  return id ? <OneSubscription key={id} id={id} /> : <SubscriptionList />;
}
