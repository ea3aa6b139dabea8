import { lazy } from '../parts/lazy.tsx';
import { route } from '../state/route.ts';
import { LessonPage } from './lessons/lesson.tsx';
import { Path } from './lessons/path.tsx';

const Capstones = lazy(() => import('./lessons/capstones.tsx'));
const Certificate = lazy(() => import('./lessons/certificate.tsx'));
const MonthLater = lazy(() => import('./lessons/month-later.tsx'));
const OwnInsurer = lazy(() => import('./lessons/own-insurer.tsx'));

export default function Lessons() {
  const [id = ''] = route.value.rest;
  if (id === '') return <Path />;
  if (id === 'capstones') return <Capstones />;
  if (id === 'certificate') return <Certificate />;
  if (id === 'month-later') return <MonthLater />;
  if (id === 'own-insurer') return <OwnInsurer />;
  return <LessonPage key={id} id={id} />;
}
