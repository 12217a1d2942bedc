//! Conditions as text, for verdicts and messages.

use std::fmt;

use regrasp_api::ObjectId;

use super::Success;

impl fmt::Display for Success {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mm = |m: &f64| format!("{:.1} mm", m * 1e3);
        match self {
            Self::All(all) => write!(f, "all({})", join(all)),
            Self::Any(any) => write!(f, "any({})", join(any)),
            Self::Not(inner) => write!(f, "not({inner})"),
            Self::Lifted {
                object,
                min_height_m,
            } => write!(f, "lifted({object}, at least {})", mm(min_height_m)),
            Self::On {
                object,
                target,
                xy_tolerance_m,
                dz_tolerance_m,
            } => {
                write!(f, "on({object}, {target}")?;
                if let Some(xy) = xy_tolerance_m {
                    write!(f, ", xy within {}", mm(xy))?;
                }
                if let Some(dz) = dz_tolerance_m {
                    write!(f, ", height within {}", mm(dz))?;
                }
                f.write_str(")")
            }
            Self::At {
                object,
                point_in_world: [x, y, z],
                tolerance_m,
            } => write!(
                f,
                "at({object}, {x:.3}, {y:.3}, {z:.3}, within {})",
                mm(tolerance_m)
            ),
            Self::JointsAtHome { tolerance_rad, .. } => {
                write!(f, "joints_at_home(within {tolerance_rad} rad)")
            }
            Self::Unmoved {
                objects,
                tolerance_m,
            } => {
                let ids: Vec<_> = objects.iter().map(ObjectId::as_str).collect();
                write!(f, "unmoved({}, within {})", ids.join(", "), mm(tolerance_m))
            }
            Self::Untouched { except } => {
                let ids: Vec<_> = except.iter().map(ObjectId::as_str).collect();
                write!(f, "untouched(except {})", ids.join(", "))
            }
            Self::JointAt { object, min, max } => {
                write!(f, "joint_at({object}, {min} to {max})")
            }
            Self::Released { object: Some(id) } => write!(f, "released({id})"),
            Self::Released { object: None } => f.write_str("released(everything)"),
            Self::Static {
                object,
                max_linear_m_per_s,
                max_angular_rad_per_s,
            } => write!(
                f,
                "static({object}, at most {max_linear_m_per_s} m/s and {max_angular_rad_per_s} rad/s)"
            ),
            Self::Pressed { object, times } => write!(f, "pressed({object}, {times} times)"),
            Self::Displaced {
                object,
                by_m: [x, y],
                tolerance_m,
            } => write!(
                f,
                "displaced({object}, by {x:.3}, {y:.3}, within {})",
                mm(tolerance_m)
            ),
            Self::MovedAlong {
                object,
                direction: [x, y],
                min_m,
            } => write!(
                f,
                "moved_along({object}, {x:.2}, {y:.2}, at least {})",
                mm(min_m)
            ),
            Self::RobotStatic { max_rad_per_s } => {
                write!(f, "robot_static(at most {max_rad_per_s} rad/s)")
            }
        }
    }
}

fn join(all: &[Success]) -> String {
    let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
    texts.join(", ")
}
