// Who is signed in.
import { createContext, useContext } from "react";

import type { MeQuery, Permission } from "./operations";

export type Viewer = MeQuery["viewer"];
const context = createContext<Viewer | undefined>(undefined);
export const ViewerProvider = context.Provider;

export function useViewer(): Viewer {
  const viewer = useContext(context);
  if (!viewer) throw new Error("nobody is signed in");
  return viewer;
}

/** Reports whether the user has a permission. */
export function useMay(permission: Permission): boolean { return useViewer().permissions.includes(permission); }
