//! Conditions as text, for verdicts and messages.

use std::fmt;

use regrasp_api::{ObjectId, Upright};

use super::{Inside, Success};

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
            Self::Released {
                object,
                min_distance_m,
            } => {
                let what = object.as_ref().map_or("everything", ObjectId::as_str);
                match min_distance_m {
                    Some(m) => write!(f, "released({what}, at least {} away)", mm(m)),
                    None => write!(f, "released({what})"),
                }
            }
            Self::InRegion { object, region } => {
                write!(f, "in({object}")?;
                for (axis, range) in ["x", "y", "z"].iter().zip(region) {
                    if let Some([low, high]) = range {
                        write!(f, ", {axis} {low:.3} to {high:.3}")?;
                    }
                }
                f.write_str(")")
            }
            Self::In { object, target } => write!(f, "in({object}, {target})"),
            Self::Touching { object, target } => write!(f, "touching({object}, {target})"),
            Self::Upright {
                object,
                axis: Upright::Z,
                max_tilt_rad,
            } => write!(f, "upright({object}, within {max_tilt_rad} rad)"),
            Self::Upright {
                object,
                axis,
                max_tilt_rad,
            } => write!(f, "upright({object}, {axis}, within {max_tilt_rad} rad)"),
            Self::Apart {
                object,
                target,
                xy_m,
                dz_m,
            } => {
                write!(f, "apart({object}, {target}")?;
                for (what, range) in [("xy", xy_m), ("dz", dz_m)] {
                    if let Some([low, high]) = range {
                        write!(f, ", {what} {} to {}", mm(low), mm(high))?;
                    }
                }
                f.write_str(")")
            }
            Self::Displaced {
                object,
                direction,
                min_m,
            } => {
                write!(f, "displaced({object}, at least {}", mm(min_m))?;
                if let Some([x, y, z]) = direction {
                    write!(f, " along ({x:.2}, {y:.2}, {z:.2})")?;
                }
                f.write_str(")")
            }
            Self::Inserted {
                object,
                target,
                inside,
            } => match inside {
                Inside::AtLeast {
                    min_depth_m,
                    max_aside_m,
                } => write!(
                    f,
                    "inserted({object}, {target}, at least {} deep, aside within {})",
                    mm(min_depth_m),
                    mm(max_aside_m)
                ),
                Inside::At {
                    depth_m,
                    tolerance_m,
                    max_angle_rad,
                } => write!(
                    f,
                    "inserted({object}, {target}, {} deep within {} and {max_angle_rad} rad)",
                    mm(depth_m),
                    mm(tolerance_m)
                ),
            },
            Self::Static {
                object,
                max_linear_m_per_s,
                max_angular_rad_per_s,
            } => write!(
                f,
                "static({object}, at most {max_linear_m_per_s} m/s and {max_angular_rad_per_s} rad/s)"
            ),
            Self::Visited { object, targets } => {
                write!(f, "visited({object}, {})", joined(targets))
            }
            Self::Avoided { object, targets } => {
                write!(f, "avoided({object}, {})", joined(targets))
            }
            Self::Pressed { object, times } => write!(f, "pressed({object}, {times} times)"),
            Self::Contains {
                container,
                what,
                at_least,
            } => write!(
                f,
                "contains({container}, at least {:.0} % of {what})",
                100.0 * at_least
            ),
            Self::Spilled { what, at_most } => {
                write!(f, "spilled({what}, at most {:.0} %)", 100.0 * at_most)
            }
            Self::HeldFor { seconds, condition } => {
                write!(f, "held_for({seconds} s, {condition})")
            }
            Self::DisplacedBy {
                object,
                by_m: [x, y],
                tolerance_m,
            } => write!(
                f,
                "displaced_by({object}, by {x:.3}, {y:.3}, within {})",
                mm(tolerance_m)
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

fn joined(ids: &[ObjectId]) -> String {
    let ids: Vec<_> = ids.iter().map(ObjectId::as_str).collect();
    ids.join(", ")
}
