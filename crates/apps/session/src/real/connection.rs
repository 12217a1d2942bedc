//! Connection to a real arm.

use std::fs;
use std::path::PathBuf;

use regrasp::{LoadedRobot, SetupError};
use regrasp_api::Aabb;
use regrasp_franka::{Approval, ArmKind, ArmOptions, FirstMotion, FrankaArm, Realtime, Safety};
use regrasp_scene::builtin_robot_named;

use super::error::RealArmError;

/// Address of a real arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmAddress {
    /// Host name, with a port if it is not the default.
    pub host: String,
    /// Required kind of arm, if any.
    pub kind: Option<ArmKind>,
}

impl ArmAddress {
    /// Parses `franka:HOST`, with `:PORT` if it is not the default, then `:v5` (Panda) or `:v10`
    /// (FR3) to require that arm.
    ///
    /// # Errors
    ///
    /// The expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "expected franka:HOST, franka:HOST:v5 (Panda) or franka:HOST:v10 (FR3)";
        let rest = text.strip_prefix("franka:").ok_or_else(wrong)?;
        let (host, kind) = match rest.rsplit_once(':') {
            Some((host, "v5")) => (host, Some(ArmKind::Panda)),
            Some((host, "v10")) => (host, Some(ArmKind::Fr3)),
            _ => (rest, None),
        };
        match host.is_empty() || host.starts_with(':') {
            true => Err(wrong().into()),
            false => Ok(Self {
                host: host.to_owned(),
                kind,
            }),
        }
    }
}

/// Settings of a connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Address of the arm.
    pub address: ArmAddress,
    /// Address of the hand, if it differs from the arm's.
    pub hand_host: Option<String>,
    /// YAML file of safety settings.
    pub safety: Option<PathBuf>,
    /// Part of the arm's limits that motions may use; overrides the file.
    pub speed: Option<f64>,
    /// Workspace of the tool; overrides the file.
    pub workspace_in_base_m: Option<Aabb>,
    /// Requirement of a real-time kernel.
    pub realtime: Realtime,
    /// Receives messages for the person at the arm.
    pub notify: fn(&str),
}

impl Connection {
    /// Reads the safety file and applies the overrides.
    fn safety(&self) -> Result<Safety, RealArmError> {
        let mut safety = match &self.safety {
            None => Safety::default(),
            Some(path) => {
                let text = fs::read_to_string(path).map_err(|source| RealArmError::Read {
                    path: path.clone(),
                    source,
                })?;
                Safety::from_yaml(&text)?
            }
        };
        safety.speed = self.speed.unwrap_or(safety.speed);
        let workspace = self.workspace_in_base_m;
        safety.workspace_in_base_m = workspace.unwrap_or(safety.workspace_in_base_m);
        safety.validate()?;
        Ok(safety)
    }

    /// Robot file and motion planner for the arm that answered. Planned motions keep clear of the
    /// joint margin in which the arm rejects them.
    ///
    /// # Errors
    ///
    /// [`RealArmError`] if the safety settings are invalid or leave the arm no room.
    pub fn robot_for(
        &self,
        arm: ArmKind,
        panda: &LoadedRobot,
    ) -> Result<LoadedRobot, RealArmError> {
        /// Allowance for rounding, rad.
        const SPARE_RAD: f64 = 0.01;
        let margin_rad = self.safety()?.joint_margin_rad + SPARE_RAD;
        Ok(robot_of(arm, panda)?.with_joint_margin(margin_rad)?)
    }

    /// Connects and reports the facts about the connection; nothing moves.
    pub fn open(
        &self,
        loaded: &LoadedRobot,
        approval: Approval,
    ) -> Result<FrankaArm, RealArmError> {
        let host = &self.address.host;
        let options = ArmOptions {
            hand_host: self.hand_host.clone(),
            kind: self.address.kind,
            realtime: self.realtime,
            safety: self.safety()?,
            ..ArmOptions::new(host)
        };
        let file = loaded.file();
        let chain = loaded.model().chain(&file.base_link, &file.tool_link);
        let arm = FrankaArm::connect(options, chain.map_err(SetupError::from)?, approval)?;
        let report = arm.report();
        (self.notify)(&format!(
            "connected to the {} at {host} (protocol {})",
            report.kind, report.server_version
        ));
        report.notices.iter().for_each(|text| (self.notify)(text));
        Ok(arm)
    }
}

/// Robot for the arm that answered. Before connecting, the Panda's is used: links and frames are
/// the same, only limits differ.
///
/// # Errors
///
/// [`RealArmError`] if the built-in file is broken.
pub fn robot_of(arm: ArmKind, panda: &LoadedRobot) -> Result<LoadedRobot, RealArmError> {
    match arm {
        ArmKind::Panda => Ok(panda.clone()),
        ArmKind::Fr3 => Ok(LoadedRobot::new(builtin_robot_named("fr3")?)?),
    }
}

/// Approval of the first motion in advance, which is reported when it is used.
pub fn approved(notify: fn(&str)) -> Approval {
    Box::new(move |motion: &FirstMotion| {
        notify(&format!(
            "first motion: {motion} (approved by --approve-motion)"
        ));
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_is_named_by_host_port_and_version() {
        let address = |text: &str| ArmAddress::parse(text).map(|a| (a.host, a.kind));
        let named = |host: &str, kind| Ok((host.to_owned(), kind));
        assert_eq!(address("franka:172.16.0.2"), named("172.16.0.2", None));
        assert_eq!(address("franka:arm:1400"), named("arm:1400", None));
        assert_eq!(
            address("franka:arm:1400:v5"),
            named("arm:1400", Some(ArmKind::Panda))
        );
        assert_eq!(address("franka:arm:v10"), named("arm", Some(ArmKind::Fr3)));
        for wrong in ["franka:", "franka::v5", "panda.yaml"] {
            assert!(ArmAddress::parse(wrong).is_err(), "{wrong}");
        }
    }
}
